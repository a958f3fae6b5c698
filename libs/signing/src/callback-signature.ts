import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** 256 random bits with which a callback's requests are signed. */
export const newCallbackKey = (): Buffer => randomBytes(SECRET_BYTES)

/** The key as partners are shown it: `whsec_` and its bytes in base64, as Standard Webhooks has it. */
export const callbackSecretText = (key: Buffer): string => PREFIX + key.toString('base64')

/** The HMAC key of a secret as partners are shown it. */
export const callbackKeyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/** One request to a callback, as its signature covers it: api.md §8. */
export interface SignedCallback {
  eventId: string
  /** Unix seconds of this attempt. */
  timestamp: number
  /** The raw bytes of the request. */
  body: Buffer
}

const macOf = (key: KeyObject, { eventId, timestamp, body }: SignedCallback): Buffer =>
  createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest()

/**
 * The headers that let a receiver check where a request comes from: `Service-Signature` and, with the same MAC, those of
 * Standard Webhooks (https://www.standardwebhooks.com), for which there are libraries.
 * @param keys the newest first; a second one only while secrets are being rotated
 */
export function callbackSignatureHeaders(callback: SignedCallback, keys: readonly KeyObject[]): Record<string, string> {
  const macs = keys.map((key) => macOf(key, callback))
  return {
    'service-signature': [`t=${callback.timestamp}`, ...macs.map((mac) => `v1=${mac.toString('hex')}`)].join(','),
    'webhook-id': callback.eventId,
    'webhook-timestamp': String(callback.timestamp),
    'webhook-signature': macs.map((mac) => `v1,${mac.toString('base64')}`).join(' '),
  }
}
