// Decides whether a sampled value grows. Pure: from samples to a judgement.

const HOUR = 3_600_000
/** Share at the beginning that is ignored, while caches fill, code is compiled and pools open. */
const WARM_UP = 1 / 3
/** Size of the first and last part of the rest, which are compared. */
const PART = 1 / 4

export interface Sample {
  /** Time, ms. */
  at: number
  value: number
}

/** Growth that does not count. */
export interface Tolerance {
  /** Share of the initial value. */
  share: number
  /** Amount up to which growth never counts, whatever its share. */
  least: number
  /** Compares the lowest values, for a series that fluctuates by itself. */
  byFloor?: boolean
}

export interface Growth {
  /** Median, or floor, at the beginning. */
  from: number
  /** Median, or floor, at the end. */
  to: number
  perHour: number
  grows: boolean
}

const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

/**
 * The median of the slopes between all pairs of samples (Theil–Sen), which a few odd ones do not move.
 * @returns growth per hour; 0 of fewer than two samples
 */
export function slopePerHour(samples: readonly Sample[]): number {
  const slopes = samples.flatMap((one, index) =>
    samples.slice(index + 1).map((other) => ((other.value - one.value) / (other.at - one.at)) * HOUR),
  )
  return slopes.length === 0 ? 0 : median(slopes)
}

/** @param samples in the order of time */
export function growthOf(samples: readonly Sample[], { share, least, byFloor = false }: Tolerance): Growth {
  const typical = byFloor ? (values: readonly number[]) => Math.min(...values) : median
  const counted = samples.slice(Math.floor(samples.length * WARM_UP))
  const part = Math.max(1, Math.floor(counted.length * PART))
  const values = counted.map(({ value }) => value)
  const [from, to] = [typical(values.slice(0, part)), typical(values.slice(-part))]
  return { from, to, perHour: slopePerHour(counted), grows: to - from > Math.max(least, from * share) }
}
