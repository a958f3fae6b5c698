import type { IncomingHttpHeaders } from 'node:http'
import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { isSignature } from '@connectivity/signing'
import { isKeyId } from '../../live/live-credential.js'

/** The signature headers of a request. */
export interface SignatureHeaders {
  keyId: string
  timestamp: string
  signature: string
}

/** Greatest difference between a timestamp and the server's clock, seconds. */
export const TIMESTAMP_WINDOW = 300

const KEY_ID = 'X-Service-Key-Id'
const TIMESTAMP = 'X-Service-Timestamp'
/** Header of the HMAC. */
export const SIGNATURE = 'X-Service-Signature'

interface Rule {
  header: string
  accepts: (text: string) => boolean
  form: string
}

const keyIdRule: Rule = { header: KEY_ID, accepts: isKeyId, form: 'the key id as issued' }
const timestampRule: Rule = {
  header: TIMESTAMP,
  accepts: (text) => /^[1-9][0-9]{9}$/.test(text),
  form: 'Unix time in whole seconds, ten digits',
}
const rules: readonly Rule[] = [
  keyIdRule,
  timestampRule,
  { header: SIGNATURE, accepts: isSignature, form: 'the HMAC-SHA256 as 64 hex digits' },
]

/** Names of the three headers. */
export const signatureHeaderNames = rules.map(({ header }) => header)

/** Reads one header of a request that may be refused; null unless it occurs once and is well-formed. */
function claimed({ header, accepts }: Rule): (headers: IncomingHttpHeaders) => string | null {
  const name = header.toLowerCase()
  return ({ [name]: value }) => (typeof value === 'string' && accepts(value) ? value : null)
}

/** The key id that a request names, unchecked. */
export const claimedKeyId = claimed(keyIdRule)
/** The timestamp that a request names, unchecked. */
export const claimedTimestamp = claimed(timestampRule)

/** 401 for a signed request, with the fault. */
const invalidSignature = (message: string, ...details: ErrorDetail[]): ServiceError =>
  new ServiceError('invalid_signature', message, { details })

const detail = (header: string, code: string, message: string): ErrorDetail => ({ pointer: header, code, message })

function fault({ header, accepts, form }: Rule, values: readonly string[] | undefined): ErrorDetail | null {
  const [value = '', ...others] = values ?? []
  if (others.length > 0) return detail(header, 'malformed_header', `Send ${header} exactly once.`)
  if (value === '') return detail(header, 'missing_header', `Send ${header}: ${form}.`)
  return accepts(value) ? null : detail(header, 'malformed_header', `${header} must be ${form}.`)
}

/**
 * Reads the signature headers of a request, each of which must occur exactly once and be well-formed.
 * @param headers all values of each header, by lower-case name
 * @throws ServiceError 401 `invalid_signature`
 */
export function readSignatureHeaders(headers: ReadonlyMap<string, readonly string[]>): SignatureHeaders {
  const values = rules.map(({ header }) => headers.get(header.toLowerCase()))
  const faults = rules.map((rule, index) => fault(rule, values[index])).filter((found) => found !== null)
  if (faults.length > 0) {
    const missingFirst = faults.toSorted((a, b) => b.code.localeCompare(a.code))
    throw invalidSignature(`Sign the request: ${missingFirst[0]!.message}`, ...missingFirst)
  }
  const [keyId, timestamp, signature] = values.map((value) => value![0]!) as [string, string, string]
  return { keyId, timestamp, signature }
}

/**
 * @param now Unix time in milliseconds
 * @throws ServiceError 401 when the timestamp is more than 300 s away, in whole seconds
 */
export function checkWindow(timestamp: string, now: number): void {
  const server_unix_time = Math.floor(now / 1000)
  if (Math.abs(server_unix_time - Number(timestamp)) <= TIMESTAMP_WINDOW) return
  const message = `${TIMESTAMP} is more than ${TIMESTAMP_WINDOW} s away from the server's clock, which is at ${server_unix_time}; set the clock and sign again.`
  const time = { server_time: new Date(now).toISOString(), server_unix_time }
  throw invalidSignature(message, { ...detail(TIMESTAMP, 'timestamp_out_of_window', message), ...time })
}
