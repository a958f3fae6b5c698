// Reservation events: one for every visible change, in order, delivered and listed, with its acknowledgement kept.
import type { Acknowledgement, Delivery, History, IndexEntry, RaisedEvent } from '../history/history-types.ts'
import { storeOf } from './feed.ts'

/** Elements with the same key; no group is empty. */
const grouped = <T>(list: readonly T[], keyOf: (one: T) => string): Iterable<[T, ...T[]]> =>
  Map.groupBy(list, keyOf).values() as Iterable<[T, ...T[]]>

/** Kafka may hold a message twice, but never two different messages with one id. */
function repeated(events: readonly RaisedEvent[]): string[] {
  const duplicated: string[] = []
  for (const same of grouped(events, ({ connection, sequence }) => `${connection} ${sequence}`)) {
    const [{ connection, sequence }] = same
    const differing = new Set(same.map((event) => JSON.stringify(event))).size
    if (differing > 1) duplicated.push(`${connection}: ${differing} different events with sequence ${sequence}`)
  }
  for (const same of grouped(events, ({ connection, updated_at }) => `${connection} ${updated_at}`)) {
    const [{ connection, updated_at }] = same
    const ids = new Set(same.map(({ event_id }) => event_id))
    if (ids.size > 1) duplicated.push(`${connection}: ${ids.size} events of one change, ${updated_at}`)
  }
  return duplicated
}

/** First appearances on Kafka rise in sequence and stamp. */
function misplaced(events: readonly RaisedEvent[]): string[] {
  const disordered: string[] = []
  for (const own of grouped(events, ({ connection }) => connection)) {
    let [sequence, stamp] = [0, '']
    const seen = new Set<number>()
    for (const event of own) {
      if (seen.has(event.sequence)) continue
      seen.add(event.sequence)
      const isLater = event.sequence > sequence && event.updated_at > stamp
      if (!isLater)
        disordered.push(`${event.connection}: event ${event.sequence} of ${event.updated_at} after ${sequence}`)
      ;[sequence, stamp] = [event.sequence, event.updated_at]
    }
  }
  return disordered
}

/** Every reservation state that the partner holds in the end must also have arrived as an event. */
function missingEvents(history: History): string[] {
  const raised = new Set(history.events.map(({ connection, id, updated_at }) => `${connection} ${id} ${updated_at}`))
  return history.connections.flatMap(({ connection }) =>
    [...storeOf(history, connection).values()]
      .filter(({ id, updated_at, isProblem }) => !isProblem && !raised.has(`${connection} ${id} ${updated_at}`))
      .map(({ id, updated_at }) => `${connection}: the change of ${id} at ${updated_at} raised no event`),
  )
}

type Listed = ReadonlyMap<string, IndexEntry>

function undelivered({ events, deliveries }: History, listed: Listed): string[] {
  const taken = new Set(deliveries.filter(({ isTaken }) => isTaken).map(({ event_id }) => event_id))
  const lost: string[] = []
  for (const { event_id, sequence, connection } of events) {
    const entry = listed.get(event_id)
    if (!taken.has(event_id)) lost.push(`${connection}: event ${sequence} was never delivered (${entry?.state})`)
    if (!entry) lost.push(`${connection}: event ${sequence} is not in the index`)
  }
  return lost
}

function unacknowledged(acknowledged: readonly Acknowledgement[], listed: Listed): string[] {
  const lost: string[] = []
  for (const { event_id, connection, isKnown } of acknowledged) {
    if (!isKnown) lost.push(`${connection} had not served ${event_id} when it was acknowledged`)
    if (!listed.get(event_id)?.isAcknowledged) lost.push(`${connection}: the acknowledgement of ${event_id} is gone`)
  }
  return lost
}

/** An event may be repeated, but no event may be older than one that its reservation already had. */
function outOfOrder(deliveries: readonly Delivery[]): string[] {
  const wrong: string[] = []
  const latest = new Map<string, number>()
  for (const { connection, id, sequence } of deliveries) {
    const key = `${connection} ${id}`
    const before = latest.get(key) ?? 0
    if (sequence < before) wrong.push(`${key}: event ${sequence} was delivered after ${before}`)
    latest.set(key, sequence)
  }
  return wrong
}

function forged({ deliveries, events }: History): string[] {
  const raised = new Set(events.map(({ event_id }) => event_id))
  return [
    ...deliveries
      .filter(({ isVerified }) => !isVerified)
      .map(({ event_id }) => `a callback with a wrong signature: ${event_id}`),
    ...deliveries
      .filter(({ event_id }) => !raised.has(event_id))
      .map(({ event_id }) => `an event without a cause: ${event_id}`),
  ]
}

export function checkEvents(history: History) {
  const listed = new Map(history.index.map((entry) => [entry.event_id, entry]))
  const lost = new Set([...undelivered(history, listed), ...unacknowledged(history.acknowledged, listed)])
  return {
    lost: [...missingEvents(history), ...lost],
    duplicated: repeated(history.events),
    disordered: [...misplaced(history.events), ...outOfOrder(history.deliveries)],
    unauthorised: forged(history),
  }
}
