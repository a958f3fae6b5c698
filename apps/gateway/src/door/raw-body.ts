import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@connectivity/contracts/errors'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import type { FastifyInstance } from 'fastify'

const NO_BODY = Buffer.alloc(0)

const tooLarge = (): ServiceError =>
  new ServiceError('payload_too_large', 'The body is larger than 1 MiB; split the request.')

/** Whether a request announces a body. */
export const hasBody = ({ headers }: Pick<IncomingMessage, 'headers'>): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** For routes of the partner interface: the door has read the body already, they find it in `rawBody`. */
export function leaveBodiesToTheDoor(routes: FastifyInstance): void {
  routes.removeAllContentTypeParsers()
  routes.addContentTypeParser('*', (_request, _payload, done) => done(null))
}

type Refuse = (refusal: ServiceError) => void

/** Connections on which a body is being read. */
const readings = new WeakMap<Socket, Refuse>()

/**
 * Ends the reading of a body that arrives too slowly or is malformed; the reader gets the refusal.
 * @returns whether one was being read
 */
export function breakOffBody(socket: Socket, refusal: ServiceError): boolean {
  const refuse = readings.get(socket)
  refuse?.(refusal)
  return refuse !== undefined
}

/** @throws ServiceError 413 when the announced size is too large; nothing has been read then */
export function checkAnnouncedSize({ headers }: IncomingMessage): void {
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLarge()
}

/**
 * Reads the body of any method, since its bytes are signed; tells a client that waits for it to go on.
 * @throws ServiceError 413 as soon as more than 1 MiB has arrived, 400 when the client gives up half-way, 408
 */
export async function readRawBody(request: IncomingMessage, response: ServerResponse): Promise<Buffer> {
  if (!hasBody(request)) return NO_BODY
  if (request.headers.expect?.toLowerCase() === '100-continue' && request.httpVersion === '1.1')
    response.writeContinue()
  return collect(request)
}

function collect(request: IncomingMessage): Promise<Buffer> {
  const { socket } = request
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const chunks: Buffer[] = []
  let size = 0
  const take = (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_BODY_BYTES) refuse(tooLarge())
    else chunks.push(chunk)
  }
  const refuse: Refuse = (refusal) => {
    request.removeListener('data', take)
    readings.delete(socket)
    reject(refusal)
  }
  const incomplete = () =>
    refuse(new ServiceError('invalid_request', 'The body ended before it was complete; send the request again.'))
  readings.set(socket, refuse)
  request
    .on('data', take)
    .once('error', incomplete)
    .once('close', incomplete)
    .once('end', () => {
      request.removeListener('close', incomplete)
      if (readings.get(socket) === refuse) readings.delete(socket)
      resolve(Buffer.concat(chunks, size))
    })
  return promise
}
