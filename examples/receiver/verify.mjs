// Whether a request comes from the service and was not altered: once with a stock library, once by hand. One of the two
// is enough for a receiver of yours.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { Webhook } from 'standardwebhooks'

/** Older and newer requests are somebody's who has recorded them, seconds. */
const WINDOW = 300

/**
 * With the library: our requests carry the headers of Standard Webhooks.
 * @param {string} secret `whsec_…`
 * @param {Buffer} body the bytes as received, before any parsing
 * @returns {object} the event
 * @throws when it does not pass
 */
export const verifyWithLibrary = (secret, headers, body) => new Webhook(secret).verify(body, headers)

/**
 * By hand: `Service-Signature: t=<unix>,v1=<hex>[,v1=<hex>]` is the HMAC-SHA256 of `event_id.t.body`; its key are the
 * bytes that the secret holds in base64. While the secret is being rotated there are two, and one must pass.
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

/** In a time that tells nothing about where they differ. */
const equal = (one, other) => one.length === other.length && timingSafeEqual(one, other)
