import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

/** Host and port of an origin in the form of the Host header: without a default port. */
export const isOwnOrigin = (origin: string | undefined, host: string | undefined): boolean =>
  origin === undefined || /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase() === host?.toLowerCase()

/**
 * Refuses browser requests from other sites: secrets belong on servers, so such a page is an attack or a mistake.
 * @throws ServiceError 403 `cross_site_request`
 */
export function refuseCrossSite({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): void {
  if (site !== 'cross-site' && isOwnOrigin(origin, host)) return
  throw new ServiceError(
    'cross_site_request',
    'Request tokens from your server, not from a page of another site. If no browser is involved, leave out Origin and Sec-Fetch-Site.',
  )
}
