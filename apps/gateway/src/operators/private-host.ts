import { ServiceError } from '@connectivity/contracts/errors'
import type { FastifyRequest } from 'fastify'

/** Paths of probes and metrics, which the platform calls by IP address. */
const PLATFORM = /^\/(?:health\/|metrics(?:\?|$))/

/**
 * Keeps pages in an operator's browser from reaching the private listener under a name of their own (DNS rebinding).
 * @param names host names in lower case, without port; an empty set allows any
 * @throws ServiceError 400 `invalid_request`
 */
export function checkPrivateHost(names: ReadonlySet<string>, { originalUrl, headers }: FastifyRequest): void {
  if (names.size === 0 || PLATFORM.test(originalUrl)) return
  const name = (headers.host ?? '').toLowerCase().replace(/:\d*$/, '')
  if (names.has(name)) return
  const message = 'This host name is not in PRIVATE_HOSTS; use one that is.'
  throw new ServiceError('invalid_request', message, { details: [{ pointer: 'Host', code: 'unknown_host', message }] })
}
