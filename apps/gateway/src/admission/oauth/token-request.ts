import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ServiceError } from '@connectivity/contracts/errors'
import { MAX_VALUE_BYTES } from '@connectivity/contracts/query-parameters'
import { checkJsonMediaType, parseStrictJson } from '@connectivity/service-kit/http'

type RequestHeaders = Pick<IncomingMessage, 'headers' | 'rawHeaders'>

const names = ['grant_type', 'client_id', 'client_secret', 'scope'] as const
type Name = (typeof names)[number]

/** Parameters of a token request that we use; an empty value counts as absent (RFC 6749 §3.2). */
export interface TokenParameters extends Partial<Record<Name, string>> {
  /** Prefix of a name in a pointer: `/` for JSON, empty for a form. */
  root: '/' | ''
}

/** Parameters that may carry a secret; none of them belongs in a URL, which every proxy logs. */
const SECRETS = new Set(['client_secret', 'client_assertion', 'assertion', 'password', 'access_token', 'refresh_token'])
const FORM_TYPE = /^application\/x-www-form-urlencoded[ \t]*(?:;[ \t]*charset="?utf-8"?[ \t]*)?$/i
/** Most parameters of a form. */
const MAX_PARAMETERS = 100

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes form encoding.
 * @throws URIError for percent-encoding that is malformed or not UTF-8
 */
export const formDecoded = (text: string): string => decodeURIComponent(text.replaceAll('+', ' '))

/** 400 `invalid_request` about one parameter or header. */
export const invalidTokenRequest = (pointer: string, code: string, message: string): ServiceError =>
  new ServiceError('invalid_request', message, { details: [{ pointer, code, message }] })

/** @throws ServiceError 400 when the query holds a secret; its value is never evaluated */
export function refuseSecretsInQuery(query: string): void {
  if (query === '') return
  const found = [...new URLSearchParams(query).keys()].map((name) => name.split('[', 1)[0]!.trim().toLowerCase())
  const secret = found.find((name) => SECRETS.has(name))
  if (secret === undefined) return
  const message = `Never send ${secret} in the URL: proxies log it. Send it in the body, and ask operations to replace this one.`
  throw invalidTokenRequest(secret, 'secret_in_query', message)
}

/**
 * The parameters of a token request, form or JSON; unknown ones are ignored.
 * @throws ServiceError 415 for another media type, 400 `invalid_request` for anything unreadable or repeated
 */
export function readTokenParameters(request: RequestHeaders, body: Buffer): TokenParameters {
  const { headers } = request
  const type = headers['content-type']
  if (type === undefined && body.length === 0) return { root: '' }
  if (isForm(headers)) return known(readForm(body), '')
  checkMediaType(request)
  return known(readJson(body), '/')
}

const isForm = (headers: IncomingHttpHeaders): boolean =>
  FORM_TYPE.test(headers['content-type'] ?? '') &&
  (headers['content-encoding'] ?? 'identity').toLowerCase() === 'identity'

function checkMediaType({ headers, rawHeaders }: RequestHeaders): void {
  try {
    checkJsonMediaType(headers, rawHeaders)
  } catch {
    const message = 'Send the body as application/x-www-form-urlencoded or application/json, utf-8, not encoded.'
    throw new ServiceError('unsupported_media_type', message)
  }
}

function readJson(body: Buffer): [string, unknown][] {
  const value = parseStrictJson(body)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value)
  throw invalidTokenRequest('', 'invalid_value', 'The body must be a JSON object.')
}

function readForm(body: Buffer): [string, unknown][] {
  if (body.length === 0)
    throw invalidTokenRequest('grant_type', 'missing', 'The body is empty; send grant_type=client_credentials.')
  try {
    const pairs = utf8.decode(body).split('&', MAX_PARAMETERS + 1)
    if (pairs.length > MAX_PARAMETERS) throw tooManyParameters()
    return pairs.map((pair) => {
      const equals = pair.indexOf('=')
      const end = equals === -1 ? pair.length : equals
      return [formDecoded(pair.slice(0, end)), formDecoded(pair.slice(end + 1))]
    })
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw invalidTokenRequest('', 'malformed_form', 'The body is not well-formed form encoding in UTF-8.')
  }
}

const tooManyParameters = (): ServiceError =>
  invalidTokenRequest('', 'too_many', `Send at most ${MAX_PARAMETERS} parameters.`)

const isKnown = (name: string): name is Name => (names as readonly string[]).includes(name)

function known(pairs: readonly [string, unknown][], root: TokenParameters['root']): TokenParameters {
  const seen = new Set<Name>()
  const parameters: TokenParameters = { root }
  for (const [name, value] of pairs) {
    if (!isKnown(name)) continue
    if (seen.has(name)) throw invalidTokenRequest(root + name, 'repeated', `Send ${name} only once.`)
    seen.add(name)
    const text = checked(name, value, root + name)
    if (text !== '') parameters[name] = text
  }
  return parameters
}

function checked(name: Name, value: unknown, pointer: string): string {
  if (typeof value !== 'string') throw invalidTokenRequest(pointer, 'invalid_value', `${name} must be a text.`)
  const isReadable = !value.includes('\0') && Buffer.byteLength(value) <= MAX_VALUE_BYTES
  if (isReadable) return value
  throw invalidTokenRequest(pointer, 'invalid_value', `${name} must be at most 1 KiB and hold no NUL.`)
}
