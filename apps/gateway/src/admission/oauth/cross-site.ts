import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

/** An origin's host and port are written as the Host header writes them: without a default port. */
const isOwn = (origin: string | undefined, host: string | undefined): boolean =>
  origin === undefined || /^https?:\/\/(.+)$/i.exec(origin)?.[1]?.toLowerCase() === host?.toLowerCase()

/**
 * Secrets belong on servers: a browser that sends one for a page of another site is misused or misprogrammed.
 * @throws ServiceError 403 `cross_site_request`
 */
export function refuseCrossSite({ 'sec-fetch-site': site, origin, host }: IncomingHttpHeaders): void {
  if (site !== 'cross-site' && isOwn(origin, host)) return
  throw new ServiceError(
    'cross_site_request',
    'Request tokens from your server, not from a page of another site. If no browser is involved, leave out Origin and Sec-Fetch-Site.',
  )
}
