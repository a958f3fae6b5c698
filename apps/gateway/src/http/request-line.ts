import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

/** Longest request line, and request line and headers together, bytes as sent. */
const MAX_HEAD_BYTES = 16 * 1024

/** 414: the request line exceeds what a whole head may have. */
export const lineTooLong = (): ServiceError =>
  new ServiceError('uri_too_long', 'The request line is longer than 16 KiB; shorten the query.')

/** 431: request line and headers exceed it together. */
export const headersTooLarge = (): ServiceError =>
  new ServiceError('request_header_fields_too_large', 'Request line and headers exceed 16 KiB; send fewer headers.')

/** 405: the path takes other methods, `GET, POST`. */
export const methodNotAllowed = (method: string, allow: string): ServiceError =>
  new ServiceError('method_not_allowed', `This path does not take ${method}; it takes ${allow}.`, {
    headers: { allow },
  })

const malformed = (message: string): ServiceError => new ServiceError('invalid_request', message)

/** What stands around a request line's target besides the method: two spaces, `HTTP/1.1` and the line's end. */
const LINE_EXTRA = 12
/** Colon, space and the line's end. */
const HEADER_EXTRA = 4
/** The empty line. */
const LAST_LINE = 2

/**
 * Sizes, one Host header, HTTP/1 and a target in origin form (`/path?query`, without fragment), on either listener.
 * @throws ServiceError 400, 414 or 431; what Node's parser refuses by itself never gets here
 */
export function checkRequestLine(request: IncomingMessage & { originalUrl?: string }): void {
  const target = request.originalUrl ?? request.url ?? ''
  const line = request.method!.length + target.length + LINE_EXTRA
  if (line > MAX_HEAD_BYTES) throw lineTooLong()
  checkHeaders(request.rawHeaders, MAX_HEAD_BYTES - line)
  if (!/^1\.[01]$/.test(request.httpVersion)) throw malformed('Send the request as HTTP/1.1.')
  if (!target.startsWith('/') || target.includes('#')) {
    throw malformed('Send the request target as a path, such as /api/connectivity/v1/properties.')
  }
  checkTransferEncoding(request)
}

function checkHeaders(raw: readonly string[], maxBytes: number): void {
  let [size, hosts] = [LAST_LINE, 0]
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!
    size += name.length + raw[index + 1]!.length + HEADER_EXTRA
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (size > maxBytes) throw headersTooLarge()
  if (hosts !== 1) throw malformed('Send exactly one Host header.')
}

/** Other codings than chunked would have to be undone before the body is the one that was signed. */
function checkTransferEncoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw malformed('Send the body with Content-Length or Transfer-Encoding: chunked, without further codings.')
}
