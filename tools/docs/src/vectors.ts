import { bodyHash, callbackKeyOf, callbackSignatureHeaders, canonicalText, signRequest } from '@connectivity/signing'

/** A signed request whose figures a partner's program must reproduce. */
export interface RequestVector {
  name: string
  key_id: string
  secret: string
  method: string
  /** Path and query as sent. */
  target: string
  timestamp: string
  body_base64: string
  /** The signed text. */
  canonical: string
  /** Lower-case hex. */
  signature: string
}

/** A signed callback that a partner's receiver must accept with the secret. */
export interface CallbackVector {
  name: string
  /** `whsec_…` */
  secret: string
  event_id: string
  timestamp: string
  body_base64: string
  canonical: string
  signature: string
  /** Signature headers that the service sends, with lower-case names. */
  headers: Record<string, string>
}

const TIMESTAMP = 1795168800
const KEY_ID = 'key_0193f0a1c2d37e4f8a5b6c7d8e9f0a1b'
const SECRET = 'sk_test_4f7d2b9c1e8a4d6fb0a35c7e9d1f2a3b'
const ISSUED_SECRET = 'q-Zl3xT_0bV7mN2sKdR9-Yc_hWf4uJ1oEa8pGi6tLvQ'

const requests: { name: string; method: string; target: string; body?: string; secret?: string }[] = [
  { name: 'the query is not signed', method: 'GET', target: '/reservations?property_id=con_1&limit=5' },
  { name: 'the path is signed as sent', method: 'GET', target: '/reservations/RSV%2F1?property_id=con_1' },
  {
    name: 'the body is hashed as UTF-8',
    method: 'POST',
    target: '/production/request',
    body: '{"property_id":"con_1","contact":{"name":"Zoë","email":"zoe@example.com"}}',
  },
  {
    name: 'the body is hashed with its spaces, escapes and line feed',
    method: 'PUT',
    target: '/properties/con_1/callback',
    body: '{ "url": "https:\\/\\/example.com\\/caf\\u00e9" }\n',
  },
  { name: 'a change without a body', method: 'DELETE', target: '/properties/con_1/callback' },
  { name: 'a parameter of a change', method: 'POST', target: '/ari?dry_run=true', body: '{"property_id":"con_1"}' },
  { name: 'the secret is used as issued', method: 'GET', target: '/auth/health', secret: ISSUED_SECRET },
]

const base64 = (text: string): string => Buffer.from(text).toString('base64')

const requestVectors = requests.map(({ name, method, target: below, body = '', secret = SECRET }): RequestVector => {
  const [target, timestamp] = [`/api/connectivity/v1${below}`, String(TIMESTAMP)]
  const signed = { method, path: target.split('?')[0]!, timestamp, bodyHash: bodyHash(Buffer.from(body)) }
  const sent = { key_id: KEY_ID, secret, method, target, timestamp, body_base64: base64(body) }
  return { name, ...sent, canonical: canonicalText(signed), signature: signRequest(secret, signed) }
})

const CALLBACK_SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OLD_CALLBACK_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const EVENT = '{"schema_version":"1.0.0","event_id":"evt_1","type":"reservation.created","data":{"guest":"Zoë"}}'

const callbacks: { name: string; secret: string; secrets: string[]; body: string }[] = [
  { name: 'one secret', secret: CALLBACK_SECRET, secrets: [CALLBACK_SECRET], body: EVENT },
  {
    name: 'the body is signed as received',
    secret: CALLBACK_SECRET,
    secrets: [CALLBACK_SECRET],
    body: ` ${EVENT}\r\n`,
  },
  {
    name: 'the new secret during a rotation',
    secret: CALLBACK_SECRET,
    secrets: [CALLBACK_SECRET, OLD_CALLBACK_SECRET],
    body: EVENT,
  },
  {
    name: 'the old secret during a rotation',
    secret: OLD_CALLBACK_SECRET,
    secrets: [CALLBACK_SECRET, OLD_CALLBACK_SECRET],
    body: EVENT,
  },
]

const callbackVectors = callbacks.map(({ name, secret, secrets, body }): CallbackVector => {
  const callback = { eventId: 'evt_1', timestamp: TIMESTAMP, body: Buffer.from(body) }
  const headersWith = (keys: string[]) => callbackSignatureHeaders(callback, keys.map(callbackKeyOf))
  return {
    name,
    secret,
    event_id: callback.eventId,
    timestamp: String(TIMESTAMP),
    body_base64: base64(body),
    canonical: `${callback.eventId}.${TIMESTAMP}.${body}`,
    signature: headersWith([secret])['service-signature']!.split('v1=')[1]!,
    headers: { 'service-event-id': callback.eventId, ...headersWith(secrets) },
  }
})

/** Signed requests and callbacks for the tests of partners' programs; the secrets are examples. */
export const vectors: { requests: RequestVector[]; callbacks: CallbackVector[] } = {
  requests: requestVectors,
  callbacks: callbackVectors,
}
