const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Gaps after the first, second, … failed attempt, ms: 15 attempts over about three days. */
const GAPS = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE],
  ...[1 * HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR],
  ...[12 * HOUR, 12 * HOUR, 12 * HOUR, 12 * HOUR, 12 * HOUR],
]
/** A callback without a success for this long, 5 days, is suspended, ms. All gaps together are shorter. */
export const PATIENCE = 5 * 24 * HOUR
/** Attempts of one round of retries. */
export const MAX_ATTEMPTS = GAPS.length + 1

const LONGEST_RETRY_AFTER = 12 * HOUR
/** Spreads attempts that failed together. It only adds; the allowed 20 % also cover the delay until sending. */
const JITTER = 0.15

/**
 * Returns the wait after a failed attempt.
 * @param attempt counts from 1 within the current round
 * @param retryAfterSeconds wait requested by the receiver with 429 or 503, else null
 * @param random from 0 to below 1
 * @returns ms from the end of the attempt to the next; null after the last one
 */
export function retryGap(attempt: number, retryAfterSeconds: number | null, random: number): number | null {
  const gap = GAPS[attempt - 1]
  if (gap === undefined) return null
  const asked = Math.min((retryAfterSeconds ?? 0) * SECOND, LONGEST_RETRY_AFTER)
  return Math.round(Math.max(gap, asked) * (1 + JITTER * random))
}
