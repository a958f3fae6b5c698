import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

const KIB = 1024
const sizeInWords = (bytes: number): string =>
  bytes % (KIB * KIB) === 0 ? `${bytes / (KIB * KIB)} MiB` : `${bytes / KIB} KiB`

/** 413 with the longest body that the call takes. */
export const tooLarge = (maxBytes: number): ServiceError =>
  new ServiceError(
    'payload_too_large',
    `The body of this call may be at most ${sizeInWords(maxBytes)} long; shorten it, or split the request if it holds a list.`,
  )

/** 503 for a body that exceeds the memory budget of its sender or of all senders together. */
export class OverBudget extends ServiceError {
  constructor() {
    super(
      'service_unavailable',
      'Too much request data is being received at once; wait, then send fewer large requests at the same time.',
      { retryAfterSeconds: 2 },
    )
  }
}

/** 400: each piece of a body costs time. */
export const inTooManyPieces = (): ServiceError =>
  new ServiceError('invalid_request', 'The body comes in too many small chunks; send larger ones or a Content-Length.')

/** 400: the client left, or its body is shorter than announced. */
export const incomplete = (): ServiceError =>
  new ServiceError('invalid_request', 'The body ended before it was complete; send the request again.')

/** @throws ServiceError 413 when the announced size is too large, before anything is read */
export function checkAnnouncedSize({ headers }: Pick<IncomingMessage, 'headers'>, maxBytes: number): void {
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}
