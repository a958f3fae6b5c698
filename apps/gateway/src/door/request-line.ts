import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

const isHost = (_: string, index: number, raw: string[]): boolean =>
  index % 2 === 0 && raw[index]!.toLowerCase() === 'host'

/**
 * One Host header and a target in origin form, `/path?query`.
 * @throws ServiceError 400 `invalid_request`; what Node's parser refuses by itself never gets here
 */
export function checkRequestLine({ rawHeaders, originalUrl, url }: IncomingMessage & { originalUrl?: string }): void {
  if (!(originalUrl ?? url ?? '').startsWith('/')) {
    throw new ServiceError(
      'invalid_request',
      'Send the request target as a path, such as /api/connectivity/v1/properties.',
    )
  }
  if (rawHeaders.filter(isHost).length !== 1) {
    throw new ServiceError('invalid_request', 'Send exactly one Host header.')
  }
}
