import type { IncomingHttpHeaders } from 'node:http'

/** What a service may need to know of the partner's request; nothing else is passed on, least of all `x-internal-*`. */
const PASSED_ON = ['accept', 'content-type', 'idempotency-key', 'if-none-match'] as const

/** Headers for the service. */
export function requestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

/** Of one hop only (RFC 9110 §7.6.1), or said by the gateway itself. */
const KEPT_BACK = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  'server',
  'cache-control',
  'x-correlation-id',
])

/** Headers for the partner. */
export function responseHeaders(
  headers: Record<string, string | string[] | undefined>,
  correlationId: string,
): Record<string, string | string[]> {
  const passed: Record<string, string | string[]> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !KEPT_BACK.has(name) && !name.startsWith('x-internal-')) passed[name] = value
  }
  passed['cache-control'] = 'private, no-store'
  passed['x-correlation-id'] = correlationId
  return passed
}
