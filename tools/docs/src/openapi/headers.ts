import type { Header } from './model.js'
import { refTo, type Response } from './model.js'

const text = (description: string, example: string): Header => ({ description, schema: { type: 'string' }, example })
const count = (description: string, example: number): Header => ({
  description,
  schema: { type: 'integer', minimum: 0 },
  example,
})

/** Named by calls that look at the names of their parameters. */
export const IGNORED_PARAMETERS = 'Service-Ignored-Parameters'

/** Every header that an answer can carry. */
export const responseHeaders: Record<string, Header> = {
  'X-Correlation-Id': text(
    'Id of this request in our logs: yours if you sent one, otherwise a new one. Quote it to operations.',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
  ),
  'Cache-Control': text('Always `private, no-store`.', 'private, no-store'),
  'RateLimit-Policy': text('Class of the call, calls `q` per window `w` (seconds).', '"feed";q=600;w=60'),
  RateLimit: text(
    '`r` calls would pass now; without further calls the burst is full again in `t` seconds.',
    '"feed";r=57;t=1',
  ),
  'X-RateLimit-Limit': count('Sustained calls per minute.', 600),
  'X-RateLimit-Remaining': count('Calls that would pass now.', 57),
  'X-RateLimit-Reset': count('Seconds until the burst is full again.', 1),
  [IGNORED_PARAMETERS]: text(
    'Query parameters of the request that this call does not take, at most ten; absent when there are none.',
    'page, sort',
  ),
  ETag: text('Names this answer; send it back as If-None-Match.', 'W/"1-1763633730123-50-1"'),
  'Preference-Applied': text('The preference that held the answer back; absent if none did.', 'wait=25'),
  'Service-Checkpoint': text(
    'Greatest `updated_at` on the page, over reservations and errors; on an empty page the last `updated_at` of the connection, or the epoch if there is none.',
    '2026-11-20T10:15:30.123Z',
  ),
  'Service-Lag-Ms': count(
    'Lag of the feed behind the bookings, ms: age of the oldest booking message that is not in the feed yet, 0 if there is none.',
    0,
  ),
  'Idempotent-Replayed': text('`true` when this is the stored answer of the first request with this key.', 'true'),
  'Retry-After': count('Seconds to wait before the next try.', 1),
  'WWW-Authenticate': text(
    'How to authenticate; sent when a token or OAuth client is not accepted.',
    'Bearer error="invalid_token"',
  ),
  'Set-Cookie': text(
    'The cookie of the session; an empty one ends it.',
    '__Host-portal=q1Kx0mZyV3nW8sT5uR7bE2dF4gH6jL9pA1cB3vN5xM0; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict; Secure',
  ),
  Pragma: text('Always `no-cache`.', 'no-cache'),
}

const always = ['X-Correlation-Id', 'Cache-Control']
const counted = ['RateLimit-Policy', 'RateLimit', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

/** Headers of an answer: its own, those of every answer, and those about limits where the request was counted. */
export function headersOf(own: readonly string[], isCounted: boolean): NonNullable<Response['headers']> {
  const names = [...own, ...always, ...(isCounted ? counted : [])]
  return Object.fromEntries(names.map((name) => [name, refTo('headers', name)]))
}
