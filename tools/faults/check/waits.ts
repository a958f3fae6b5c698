// Waiting requests: a change committed during the wait is answered soon, or soon after the fault that delayed it.
import type { History, Period, Wait } from '../history/history-types.ts'

/** Time after which a change counts as unnoticed, ms: far longer than a notification takes on a busy machine. */
const LATE = 3_000
/** Time by which a request may exceed its wait, ms. */
const OVERDUE = 5_000

const overlaps = ({ from, at }: Wait, period: Period): boolean => at >= period.from && from <= period.at

/** Time from which the request could notice a change: its begin, or the end of the last fault during the wait. */
const ableFrom = (wait: Wait, disturbed: readonly Period[]): number =>
  Math.max(wait.from, ...disturbed.filter((period) => overlaps(wait, period)).map(({ at }) => at))

/** Identifies an event of a connection. */
const eventKey = (connection: string, eventId: string): string => `${connection} ${eventId}`

/** Time of each event's first callback: by then it was certainly recorded. */
function calledBackAt({ deliveries }: Pick<History, 'deliveries'>): Map<string, number> {
  const times = new Map<string, number>()
  for (const { connection, event_id, at } of deliveries) {
    const key = eventKey(connection, event_id)
    times.set(key, Math.min(at, times.get(key) ?? Infinity))
  }
  return times
}

/** Judges the waits of one client, in their order. */
function faultsOf(
  waits: readonly Wait[],
  { disturbed, recorded }: { disturbed: Period[]; recorded: Map<string, number> },
) {
  /** Time of the first change in the answer, ms; Infinity if it is unknown. */
  const thereAt = ({ connection, kind, first }: Wait): number => {
    if (first === null) return Infinity
    return kind === 'feed' ? Date.parse(first) : (recorded.get(eventKey(connection, first)) ?? Infinity)
  }
  return waits.flatMap((wait, number) => {
    const { connection, kind, seconds, from, at, isAnswered, first } = wait
    const [able, name] = [ableFrom(wait, disturbed), `${connection}: a request that waited for ${kind}`]
    const overdue = at - able - seconds * 1_000
    if (overdue > OVERDUE) return [`${name} ended ${overdue} ms late`]
    // An answer before the end of the wait means that a change woke the request.
    if (at - from < seconds * 1_000) return []
    // The next page brings the changes that an empty page missed.
    const next = waits.slice(number).find((one) => one.first !== null)
    const missed = isAnswered && next ? at - Math.max(able, thereAt(next)) : 0
    return missed > LATE ? [`${name} was not woken by ${first ?? next!.first} for ${missed} ms`] : []
  })
}

const clientOf = ({ connection, kind }: Wait): string => `${connection} ${kind}`

/** A wake-up that was lost counts as stale: the partner learns of the change when the wait is over. */
export function checkWaits(history: History): { stale: string[] } {
  const { waits, disturbed, lostWakeUps } = history
  const recorded = calledBackAt(history)
  const byClient = [...Map.groupBy(waits, clientOf).values()]
  return {
    stale: [
      ...byClient.flatMap((own) => faultsOf(own, { disturbed, recorded })),
      ...lostWakeUps
        .filter(({ count, isExplained }) => count > 0 && !isExplained)
        .map(
          ({ during, count }) => `${count} changes woke no request: only its last look found them, during ${during}`,
        ),
    ],
  }
}
