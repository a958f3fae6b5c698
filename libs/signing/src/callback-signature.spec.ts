import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { callbackKeyOf, callbackSecretText, callbackSignatureHeaders, newCallbackKey } from './callback-signature.js'

// The example secret of the Standard Webhooks specification.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const OLDER = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const callback = {
  eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  timestamp: 1614265330,
  body: Buffer.from('{"test": 2432232314}'),
}
const now = () => Math.floor(Date.now() / 1000)

describe('signed callbacks', () => {
  // printf '%s' 'msg_….1614265330.{"test": 2432232314}' |
  //   openssl dgst -sha256 -mac HMAC -macopt hexkey:<bytes of the secret>
  it('match the golden vectors, the newest secret first', () => {
    expect(callbackSignatureHeaders(callback, [callbackKeyOf(SECRET), callbackKeyOf(OLDER)])).toEqual({
      'service-signature':
        't=1614265330,v1=83484cf52b04f8e4cf2531adfed9882ad4b2665137b852442d594d20e2c9d4e1,v1=3b81a3bf51ea3eab0cae399cce8820b3fb1603c8190f45721c6f9f2e1e3e92d2',
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature':
        'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1,O4Gjv1HqPqsMrjmczoggs/sWA8gZD0VyHG+fLh4+ktI=',
    })
    expect(callbackSignatureHeaders(callback, [callbackKeyOf(SECRET)])['service-signature']).toBe(
      't=1614265330,v1=83484cf52b04f8e4cf2531adfed9882ad4b2665137b852442d594d20e2c9d4e1',
    )
  })

  it('pass the stock library with either secret, for any body', () => {
    fc.assert(
      fc.property(fc.json(), fc.stringMatching(/^evt_[a-z0-9]{1,40}$/), (text, eventId) => {
        const keys = [newCallbackKey(), newCallbackKey()].map(callbackSecretText)
        const signed = { eventId, timestamp: now(), body: Buffer.from(text) }
        const headers = callbackSignatureHeaders(signed, keys.map(callbackKeyOf))
        for (const key of keys) {
          expect(new Webhook(key).verify(text, headers)).toEqual(JSON.parse(text))
          expect(() => new Webhook(key).verify(`${text} `, headers)).toThrow()
        }
        expect(() => new Webhook(callbackSecretText(newCallbackKey())).verify(text, headers)).toThrow()
      }),
    )
  })

  it('are valid for their event and their second only', () => {
    const signed = { ...callback, timestamp: now() }
    const headers = callbackSignatureHeaders(signed, [callbackKeyOf(SECRET)])
    const verify = (given: object) => new Webhook(SECRET).verify(callback.body, { ...headers, ...given })
    expect(verify({})).toBeDefined()
    expect(() => verify({ 'webhook-id': 'msg_other' })).toThrow()
    expect(() => verify({ 'webhook-timestamp': String(signed.timestamp - 1) })).toThrow()
  })

  it('have secrets of 256 random bits', () => {
    expect(callbackSecretText(newCallbackKey())).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(newCallbackKey()).not.toEqual(newCallbackKey())
  })
})
