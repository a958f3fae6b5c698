import type { Socket } from 'node:net'
import { STATUS_CODES } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders } from '@connectivity/service-kit/error-envelope.filter'
import { correlationIdFrom } from '@connectivity/service-kit/correlation'

/** Request line and headers together, bytes. */
export const MAX_HEADER_BYTES = 16 * 1024

/** What Node's parser says; `rawPacket` is a Buffer, though Fastify's types know better. */
interface ParserError extends Error {
  code?: string
  rawPacket?: unknown
}

/** Whether the packet ends before the request line does. */
const isLongLine = (packet: unknown): boolean => {
  if (!Buffer.isBuffer(packet)) return false
  const end = packet.indexOf('\r\n')
  return end === -1 || end > MAX_HEADER_BYTES
}

function refusal({ code, rawPacket }: ParserError): ServiceError {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ServiceError('request_timeout', 'The request took too long to arrive; send it again.')
  }
  if (code !== 'HPE_HEADER_OVERFLOW') {
    return new ServiceError('invalid_request', 'This is not a well-formed HTTP/1.1 request.')
  }
  return isLongLine(rawPacket)
    ? new ServiceError('uri_too_long', 'The request line is longer than 16 KiB; shorten the query.')
    : new ServiceError('request_header_fields_too_large', 'Request line and headers exceed 16 KiB; send fewer headers.')
}

/** Answers what is not an HTTP request, or not one within limits, in the envelope and closes the connection. */
export function answerMalformed(error: ParserError, socket: Socket): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
  const correlationId = correlationIdFrom(undefined)
  const answer = refusal(error)
  const body = JSON.stringify(answer.body(correlationId))
  const headers = { ...answerHeaders(correlationId), 'content-length': Buffer.byteLength(body), connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end([`HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status]}`, ...lines, '', body].join('\r\n'))
}
