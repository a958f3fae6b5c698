import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import { hmacSha256, isSameDigest } from './hmac.js'

/** SHA-256 of the empty body, lower-case hex. */
export const EMPTY_BODY_HASH = hash('sha256', '')

/** Lower-case hex SHA-256 of the raw body bytes. */
export const bodyHash = (body: Uint8Array): string => (body.length === 0 ? EMPTY_BODY_HASH : hash('sha256', body))

/** The parts of a request that a signature covers. */
export interface CanonicalRequest {
  /** Upper-case HTTP method. */
  method: string
  /** The raw request target up to `?`, exactly as sent, with the base path. */
  path: string
  /** The timestamp header's text: Unix seconds. */
  timestamp: string
  /** Lower-case hex SHA-256 of the raw body. */
  bodyHash: string
}

/** The signed input: four lines joined by LF, none at the end. */
export const canonicalText = ({ method, path, timestamp, bodyHash }: CanonicalRequest): string =>
  `${method}\n${path}\n${timestamp}\n${bodyHash}`

const keyOf = (secret: string | KeyObject): KeyObject =>
  typeof secret === 'string' ? createSecretKey(Buffer.from(secret)) : secret

/** HMAC-SHA256 of the canonical request as lower-case hex. The key is the secret's text as shown, in UTF-8. */
export const signRequest = (secret: string | KeyObject, request: CanonicalRequest): string =>
  hmacSha256(keyOf(secret), canonicalText(request), 'hex')

const SIGNATURE = /^[0-9a-fA-F]{64}$/

/** Whether the text has the form of a signature: 64 hex digits of either case. */
export const isSignature = (text: string): boolean => SIGNATURE.test(text)

/** Compares a signature in constant time. */
export function verifyRequest(key: KeyObject, request: CanonicalRequest, signature: string): boolean {
  if (!isSignature(signature)) return false
  return isSameDigest(signature.toLowerCase(), signRequest(key, request))
}
