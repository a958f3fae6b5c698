// Waiting requests: while no fault is injected, a change wakes them soon after its commit.
import type { History, Period, Wait } from '../history/history-types.ts'

/** Time after which a change counts as unnoticed, ms: far longer than a notification takes on a busy machine. */
const LATE = 2_000

const overlaps = ({ from, at }: Wait, period: Period): boolean => at >= period.from && from <= period.at

/** How long a request has waited although there was something to answer, ms. */
const missed = ({ from, at, first }: Wait): number => (first === null ? 0 : at - Math.max(from, Date.parse(first)))

/** A wake-up that was lost counts as stale: the partner learns of the change when the wait is over. */
export const checkWaits = ({ waits, disturbed }: History): { stale: string[] } => ({
  stale: waits
    .filter((wait) => missed(wait) > LATE && !disturbed.some((period) => overlaps(wait, period)))
    .map((wait) => `${wait.connection}: the change at ${wait.first} woke no request for ${missed(wait)} ms`),
})
