import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'

const NO_BODY = Buffer.alloc(0)

const tooLarge = (): ServiceError =>
  new ServiceError('payload_too_large', 'The body is larger than 1 MiB; split the request.', {
    headers: { connection: 'close' },
  })

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** @throws ServiceError 413 when the announced size is too large; nothing has been read then */
export function checkAnnouncedSize({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
}

/**
 * Reads the body of any method, since its bytes are signed.
 * @throws ServiceError 413 as soon as more than 1 MiB has arrived, 400 when the client gives up half-way
 */
export async function readRawBody(request: IncomingMessage): Promise<Buffer> {
  if (!hasBody(request)) return NO_BODY
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_BODY_BYTES) throw tooLarge()
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw new ServiceError('invalid_request', 'The body ended before it was complete; send the request again.')
  }
  return Buffer.concat(chunks, size)
}
