// Verifies that a request comes from the service unaltered: once with a stock library, once by hand. Your receiver
// needs only one of the two.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** Reject timestamps outside this window around now (replay protection), seconds. */
const WINDOW = 300

/**
 * With the library: our requests carry the headers of Standard Webhooks.
 * @param {string} secret `whsec_…`
 * @param {Buffer} body the bytes as received, before any parsing
 * @returns {object} the event
 * @throws when verification fails
 */
export const verifyWithLibrary = (secret, headers, body) => new Webhook(secret).verify(body, headers)

/**
 * By hand: `Service-Signature: t=<unix>,v1=<hex>[,v1=<hex>]`. Each `v1` is the HMAC-SHA256 of `event_id.t.body`; the
 * key is the part of the secret after `whsec_`, decoded from base64. During a rotation there are two; one must match.
 */
export function verifyByHand(secret, headers, body, now = Date.now()) {
  const fields = String(headers['service-signature'])
    .split(',')
    .map((field) => field.split('='))
  const timestamp = fields.find(([name]) => name === 't')?.[1] ?? ''
  if (!(Math.abs(now / 1000 - Number(timestamp)) <= WINDOW)) return false
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
  const expected = createHmac('sha256', key)
    .update(`${headers['service-event-id']}.${timestamp}.`)
    .update(body)
    .digest()
  return fields.some(([name, hex]) => name === 'v1' && equal(expected, Buffer.from(hex ?? '', 'hex')))
}

/** Compares in constant time: the duration does not reveal where the two differ. */
const equal = (one, other) => one.length === other.length && timingSafeEqual(one, other)
