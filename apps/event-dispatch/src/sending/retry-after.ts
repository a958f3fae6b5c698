/** Delta seconds, RFC 9110 §10.2.3. */
const SECONDS = /^\d{1,10}$/
/** `Sun, 06 Nov 1994 08:49:37 GMT`, the one form that may still be sent (RFC 9110 §5.6.7). */
const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * @param now ms since the epoch
 * @returns seconds from now, whole and not negative; null when the header is absent or unreadable
 */
export function retryAfterSeconds(header: unknown, now: number): number | null {
  if (typeof header !== 'string') return null
  if (SECONDS.test(header)) return Number(header)
  const date = HTTP_DATE.test(header) ? Date.parse(header) : NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / 1_000))
}
