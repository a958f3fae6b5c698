import type { IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'

/** Most bytes, as sent, of the request line alone and of request line and headers together. */
const MAX_HEAD_BYTES = 16 * 1024
/** Most header fields: each costs memory of its own, however short it is. */
export const MAX_FIELDS = 500

/** 414: the request line alone exceeds the limit of the whole head. */
export const lineTooLong = (): ServiceError =>
  new ServiceError('uri_too_long', 'The request line is longer than 16 KiB; shorten the query.')

/** 431: request line and headers together, or the number of headers, exceed the limit. */
export const headersTooLarge = (): ServiceError =>
  new ServiceError(
    'request_header_fields_too_large',
    `Request line and headers exceed 16 KiB or ${MAX_FIELDS} headers; send fewer headers.`,
  )

/** 405: the path takes other methods; `allow` lists them, such as `GET, POST`. */
export const methodNotAllowed = (method: string, allow: string): ServiceError =>
  new ServiceError('method_not_allowed', `This path does not take ${method}; it takes ${allow}.`, {
    headers: { allow },
  })

const malformed = (message: string): ServiceError => new ServiceError('invalid_request', message)

/** Bytes of a request line without method and target: two spaces, `HTTP/1.1` and the line's end. */
const LINE_EXTRA = 12
/** Colon, space and the line's end. */
const HEADER_EXTRA = 4
/** The empty line. */
const LAST_LINE = 2

/**
 * Checks sizes, one Host header, HTTP/1 and a target in origin form (`/path?query`, no fragment), on both listeners.
 * @throws ServiceError 400, 414 or 431; requests that Node's parser refuses never get here
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
  if (raw.length > 2 * MAX_FIELDS) throw headersTooLarge()
  let [size, hosts] = [LAST_LINE, 0]
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!
    size += name.length + raw[index + 1]!.length + HEADER_EXTRA
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (size > maxBytes) throw headersTooLarge()
  if (hosts !== 1) throw malformed('Send exactly one Host header.')
}

/** Refuses codings other than chunked: they would have to be decoded to get the signed body. */
function checkTransferEncoding({ headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined || coding.toLowerCase() === 'chunked') return
  throw malformed('Send the body with Content-Length or Transfer-Encoding: chunked, without further codings.')
}
