import { ServiceError } from '@connectivity/contracts/errors'
import type { PartnerRequest } from '../../http/requests/partner-request.js'

const READS = new Set(['GET', 'HEAD'])

/**
 * Refuses browser requests that a page of another site may have started: browsers send the cookie with those too.
 * Refuses browsers without `Sec-Fetch-Site` as well.
 * @param own our address as the client knows it
 * @throws ServiceError 403 `cross_site_request`
 */
export function checkSameOrigin({ http: { headers }, method }: PartnerRequest, own: string): void {
  const isSameSite = headers['sec-fetch-site'] === 'same-origin'
  if (isSameSite && (READS.has(method) || headers.origin === own)) return
  throw new ServiceError(
    'cross_site_request',
    isSameSite
      ? `Open the portal at ${own}/portal: it takes requests of pages at that address only.`
      : 'The portal takes requests of its own pages only; open the portal in a current browser.',
  )
}
