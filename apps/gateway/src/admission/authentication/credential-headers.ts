import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { readSignatureHeaders, signatureHeaderNames, type SignatureHeaders } from './signature-headers.js'

/** Proof of a request's sender: an access token or a signature. */
export type CredentialHeaders = { token: string } | SignatureHeaders

const AUTHORIZATION = 'Authorization'
const known = new Set([...signatureHeaderNames, AUTHORIZATION].map((name) => name.toLowerCase()))

/** Every value of the headers that authenticate, duplicates included: Node's joined headers hide them. */
function distinct(rawHeaders: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!known.has(name)) continue
    const values = found.get(name)
    if (values) values.push(rawHeaders[index + 1]!)
    else found.set(name, [rawHeaders[index + 1]!])
  }
  return found
}

/** 401 with the challenge of RFC 6750 §3. */
export const invalidToken = (message: string): ServiceError =>
  new ServiceError('invalid_token', message, { headers: { 'www-authenticate': 'Bearer error="invalid_token"' } })

function bothMechanisms(pointer = AUTHORIZATION): ServiceError {
  const message =
    'Send one proof of who you are: the three signature headers, Authorization, or the cookie of the portal.'
  const detail: ErrorDetail = { pointer, code: 'malformed_header', message }
  return new ServiceError('invalid_signature', message, { details: [detail] })
}

function bearerToken(authorization: readonly string[]): string {
  const token = authorization.length === 1 ? /^Bearer +([^ ]+)$/i.exec(authorization[0]!)?.[1] : undefined
  if (token !== undefined) return token
  throw invalidToken('Send exactly one Authorization header, of the form "Bearer <access token>".')
}

/** @throws ServiceError 401 `invalid_signature` when a request with a portal's cookie carries another proof as well */
export function refuseOtherProof(rawHeaders: readonly string[]): void {
  if (distinct(rawHeaders).size > 0) throw bothMechanisms('Cookie')
}

/**
 * Reads the one proof that a request carries; a request without any counts as missing a signature.
 * @param rawHeaders names and values as received, alternating
 * @throws ServiceError 401 `invalid_signature`, also for both mechanisms at once, or `invalid_token`
 */
export function readCredentialHeaders(rawHeaders: readonly string[]): CredentialHeaders {
  const headers = distinct(rawHeaders)
  const authorization = headers.get(AUTHORIZATION.toLowerCase())
  if (!authorization) return readSignatureHeaders(headers)
  if (headers.size > 1) throw bothMechanisms()
  return { token: bearerToken(authorization) }
}
