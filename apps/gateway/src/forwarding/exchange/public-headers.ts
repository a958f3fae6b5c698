import type { IncomingHttpHeaders } from 'node:http'

/** The only request headers that are passed on to services; above all, `x-internal-*` is not. */
const PASSED_ON = ['accept', 'content-type', 'idempotency-key', 'if-none-match'] as const

/** Request headers for the service. */
export function requestHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const passed: Record<string, string> = {}
  for (const name of PASSED_ON) {
    const value = headers[name]
    if (typeof value === 'string') passed[name] = value
  }
  return passed
}

/** Hop-by-hop headers (RFC 9110 §7.6.1) and headers that the gateway sets itself. */
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

/** Response headers for the partner. */
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
