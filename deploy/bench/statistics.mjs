// Order statistics of measurements: always a value that occurred, never an interpolated one.
const inOrder = (items, by) => items.toSorted((a, b) => by(a) - by(b))
const at = (sorted, share) => sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)]
const itself = (value) => value

/** The middle one; of an even number the upper of the two. */
export const median = (values) => at(inOrder(values, itself), 0.5)

/** The item that a quarter of the items are below, ordered by `by`: a busy machine moves it less than the median. */
export const lowerQuartile = (items, by = itself) => at(inOrder(items, by), 0.25)

/** @returns {{ p50: number, p90: number, p99: number, most: number }} percentiles, and the greatest of them */
export function percentiles(values) {
  const sorted = inOrder(values, itself)
  return { p50: at(sorted, 0.5), p90: at(sorted, 0.9), p99: at(sorted, 0.99), most: sorted.at(-1) }
}
