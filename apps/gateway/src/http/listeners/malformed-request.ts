import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders, correlationIdFrom } from '@connectivity/service-kit/http'
import { headersTooLarge, lineTooLong } from '../requests/request-line.js'
import { abortBody } from '../requests/held-body.js'
import { closeLingering, markClosing } from '../connections/lingering-close.js'

/** Error of Node's parser; `rawPacket` is a Buffer, although Fastify's types say otherwise. */
interface ParserError extends Error {
  code?: string
  rawPacket?: unknown
  bytesParsed?: number
}

/** A long request line in many packets looks like a long header; without any line end it is the request line. */
const isLongLine = ({ rawPacket, bytesParsed }: ParserError): boolean =>
  Buffer.isBuffer(rawPacket) && !rawPacket.subarray(0, bytesParsed).includes('\r\n')

/** Maps an error of Node's parser to a refusal. */
export function parserRefusal(error: ParserError): ServiceError {
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
  report(refused, correlationId)
  const body = JSON.stringify(refused.body(correlationId))
  const headers = { ...answerHeaders(correlationId, refused), 'content-length': Buffer.byteLength(body) }
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.write([`HTTP/1.1 ${refused.status} ${STATUS_CODES[refused.status]}`, ...lines, '', body].join('\r\n'))
  closeLingering(socket)
}

type Report = (refused: ServiceError, correlationId: string) => void
let report: Report = () => undefined

/** Registers a listener for refusals by the parser, which never become a request that could be recorded. */
export const reportMalformedTo = (to: Report): void => void (report = to)

/** Runs `then` once every earlier request on this connection has been answered. */
function afterEarlierAnswers(socket: Socket, then: () => void): void {
  // Node stores the current response here and replaces it with the next one when it ends.
  const current = (socket as { _httpMessage?: ServerResponse | null })._httpMessage
  if (!current) return then()
  current.once('finish', () => afterEarlierAnswers(socket, then))
}

/** Answers input that is not an HTTP request within limits with the error envelope and closes the connection. */
export function answerMalformed(error: ParserError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const refused = parserRefusal(error)
  // The request that owns this body answers itself. The parser fails again with every further packet.
  if (abortBody(socket, refused) || !markClosing(socket)) return
  // An earlier answer may have been the connection's last.
  afterEarlierAnswers(socket, () => socket.writable && answer(socket, refused))
}
