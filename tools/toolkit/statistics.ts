// Order statistics of measurements: always a value that occurred, never an interpolated one.
import { present } from './present.ts'

/** Percentiles of measurements and the greatest of these. */
export type Percentiles = Record<'p50' | 'p90' | 'p99' | 'most', number>

const inOrder = <T>(items: readonly T[], by: (item: T) => number): T[] => items.toSorted((a, b) => by(a) - by(b))
const at = <T>(sorted: readonly T[], share: number): T | undefined =>
  sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
const itself = (value: number): number => value

/** The median; the upper middle one of an even number. */
export const median = (values: readonly number[]): number => present(at(inOrder(values, itself), 0.5), 'measurement')

/** The item that a quarter of the items are below, ordered by `by`: a busy machine moves it less than the median. */
export const lowerQuartile = <T>(items: readonly T[], by: (item: T) => number): T =>
  present(at(inOrder(items, by), 0.25), 'measurement')

/**
 * Percentiles of values, and the greatest of them.
 * @param none result for each of them without values
 */
export function percentiles(values: readonly number[], none = NaN): Percentiles {
  const sorted = inOrder(values, itself)
  const valueAt = (share: number): number => at(sorted, share) ?? none
  return { p50: valueAt(0.5), p90: valueAt(0.9), p99: valueAt(0.99), most: valueAt(1) }
}
