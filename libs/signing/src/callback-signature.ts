import { createHmac, createSecretKey, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto'

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Generates the key that signs a callback's requests: 256 random bits. */
export const newCallbackKey = (): Buffer => randomBytes(SECRET_BYTES)

/** The key in the form that partners see: `whsec_` and its bytes in base64, as in Standard Webhooks. */
export const callbackSecretText = (key: Buffer): string => PREFIX + key.toString('base64')

/** The HMAC key of a secret in the form that partners see. */
export const callbackKeyOf = (secret: string): KeyObject =>
  createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'))

/** One request to a callback, as its signature covers it. */
export interface SignedCallback {
  eventId: string
  /** Unix seconds of this attempt. */
  timestamp: number
  /** The raw bytes of the request. */
  body: Buffer
}

const macOf = (key: KeyObject, { eventId, timestamp, body }: SignedCallback): Buffer =>
  createHmac('sha256', key).update(`${eventId}.${timestamp}.`).update(body).digest()

/** Compares a MAC of any length in constant time. */
export function verifyCallback(key: KeyObject, callback: SignedCallback, mac: Buffer): boolean {
  const expected = macOf(key, callback)
  return mac.length === expected.length && timingSafeEqual(mac, expected)
}

/**
 * Headers by which a receiver verifies the sender: `Service-Signature` and, with the same MAC, those of Standard
 * Webhooks (https://www.standardwebhooks.com), which has ready-made libraries.
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
