import type { IncomingHttpHeaders } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'
import { bodyHash, EMPTY_BODY_HASH } from '@connectivity/signing'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { headerValues } from './raw-headers.js'
import { parseStrictJson } from './strict-json.js'

const JSON_TYPE = /^application\/json[ \t]*(?:;|$)/i
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*("?)([^";]*)\1/gi

/** Whether a media type is JSON whose charset is UTF-8 or not named; other parameters are ignored. */
function isUtf8Json(type: string): boolean {
  const charsets = [...type.matchAll(CHARSET)].map(([, , charset = '']) => charset.trim().toLowerCase())
  return JSON_TYPE.test(type) && charsets.every((charset) => charset === 'utf-8')
}

/**
 * Accepts only JSON in UTF-8 without content encoding.
 * @param rawHeaders of the request: Node drops all but the first Content-Type from `headers`
 * @throws ServiceError 415 `unsupported_media_type`
 */
export function checkJsonMediaType(headers: IncomingHttpHeaders, rawHeaders: readonly string[]): void {
  if (headerValues(rawHeaders, 'content-type').length > 1) {
    throw new ServiceError('unsupported_media_type', 'Send one Content-Type: application/json, charset utf-8.')
  }
  if (!isUtf8Json(headers['content-type'] ?? '')) {
    throw new ServiceError('unsupported_media_type', 'Send the body as Content-Type: application/json, charset utf-8.')
  }
  if ((headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', 'Send the body without Content-Encoding.')
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** SHA-256 of a body that was read as JSON, lower-case hex; absent without a body. */
    bodyHash?: string
  }
}

/** Lower-case hex SHA-256 of the bytes of a request's body. */
export const bodyHashOf = (request: FastifyRequest): string => request.bodyHash ?? EMPTY_BODY_HASH

/** Makes the listener read every body as strict JSON; other media types are refused. */
export function readBodiesStrictly(fastify: FastifyInstance): void {
  fastify.decorateRequest('bodyHash')
  fastify.removeAllContentTypeParsers()
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined
    checkJsonMediaType(request.headers, request.raw.rawHeaders)
    request.bodyHash = bodyHash(body)
    return parseStrictJson(body)
  })
}
