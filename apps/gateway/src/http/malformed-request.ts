import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders } from '@connectivity/service-kit/error-envelope.filter'
import { correlationIdFrom } from '@connectivity/service-kit/correlation'
import { headersTooLarge, lineTooLong } from './request-line.js'
import { breakOffBody } from './raw-body.js'
import { closeLingering, markClosing } from './lingering-close.js'

/** What Node's parser says; `rawPacket` is a Buffer, though Fastify's types know better. */
interface ParserError extends Error {
  code?: string
  rawPacket?: unknown
  bytesParsed?: number
}

/** A long request line in many packets looks like a long header; without the end of a line in sight it is the line. */
const isLongLine = ({ rawPacket, bytesParsed }: ParserError): boolean =>
  Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\r\n')

function refusal(error: ParserError): ServiceError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request took too long to arrive; send it again.')
  }
  if (error.code !== 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('invalid_request', 'This is not a well-formed HTTP/1.1 request.')
  }
  return isLongLine(error) ? lineTooLong() : headersTooLarge()
}

function answer(socket: Socket, refused: ServiceError): void {
  const correlationId = correlationIdFrom(undefined)
  tell(refused, correlationId)
  const body = JSON.stringify(refused.body(correlationId))
  const headers = { ...answerHeaders(correlationId, refused), 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.write([`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`, ...lines, '', body].join('\r\n'))
  closeLingering(socket)
}

type Tell = (refused: ServiceError, correlationId: string) => void
let tell: Tell = () => undefined

/** Has somebody told of each refusal: what the parser refuses never becomes a request that could be recorded. */
export const tellOfMalformed = (whom: Tell): void => void (tell = whom)

/** Runs `then` once every request that came before on this connection has its answer. */
function afterEarlierAnswers(socket: Socket, then: () => void): void {
  // Node keeps the response whose turn it is here, and sets the next one when it ends.
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  if (!current) return then()
  current.once('finish', () => afterEarlierAnswers(socket, then))
}

/** Answers what is not an HTTP request, or not one within limits, in the envelope and closes the connection. */
export function answerMalformed(error: ParserError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const refused = refusal(error)
  // The request whose body this is gives the answer itself. The parser fails again with every further packet.
  if (breakOffBody(socket, refused) || !markClosing(socket)) return
  // An earlier answer may have been the connection's last.
  afterEarlierAnswers(socket, () => socket.writable && answer(socket, refused))
}
