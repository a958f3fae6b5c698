// Decides whether a sampled value grows. Pure: from samples to a judgement.

const HOUR = 3_600_000
/** Share at the beginning that is ignored: caches fill, code is compiled, pools open. */
const WARM_UP = 1 / 3
/** Size of the first and last part of the rest, which are compared. */
const PART = 1 / 4

const median = (values) => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * The median of the slopes between all pairs of samples (Theil–Sen), which a few odd ones do not move.
 * @param {{ at: number, value: number }[]} samples `at` in ms
 * @returns {number} per hour; 0 of fewer than two samples
 */
export function slopePerHour(samples) {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => ((other.value - one.value) / (other.at - one.at)) * HOUR),
  )
  return slopes.length === 0 ? 0 : median(slopes)
}

/**
 * @param {{ at: number, value: number }[]} samples in the order of time
 * @param {{ share: number, least: number, byFloor?: boolean }} tolerance tolerated growth: a share of the initial
 *   value, and at least `least`. `byFloor`: compare the lowest values, for a series that fluctuates by itself
 * @returns {{ from: number, to: number, perHour: number, grows: boolean }} medians, or floors, at the beginning and at the end
 */
export function growthOf(samples, { share, least, byFloor = false }) {
  const typical = byFloor ? (values) => Math.min(...values) : median
  const counted = samples.slice(Math.floor(samples.length * WARM_UP))
  const part = Math.max(1, Math.floor(counted.length * PART))
  const values = counted.map(({ value }) => value)
  const [from, to] = [typical(values.slice(0, part)), typical(values.slice(-part))]
  return { from, to, perHour: slopePerHour(counted), grows: to - from > Math.max(least, from * share) }
}
