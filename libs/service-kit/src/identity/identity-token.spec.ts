import type { Identity } from '@connectivity/contracts/identity'
import { contentOf, signIdentity, verifyIdentity } from './identity-token.js'

const key = Buffer.alloc(32, 1)
const claims: Omit<Identity, 'method' | 'path' | 'content' | 'nonce'> = {
  aud: 'reservation-feed',
  exp: 1000,
  application_id: 'app_1',
  connection: { property_id: 'con_1', external_property_id: 'PMS-é', state: 'pilot' },
  scopes: ['reservations:read'],
  correlation_id: 'abcdefgh',
}
const request = { method: 'GET', target: '/api/connectivity/v1/reservations?limit=5' }
const token = signIdentity(key, claims, request)
const identity = {
  ...claims,
  method: 'GET',
  path: '/api/connectivity/v1/reservations',
  content: contentOf(request),
  nonce: expect.any(String),
}

describe('identity tokens', () => {
  it('return the claims until they expire', () => {
    expect(verifyIdentity(key, 'reservation-feed', token, 1000)).toEqual(identity)
    expect(verifyIdentity(key, 'reservation-feed', token, 1001)).toBeNull()
  })

  it('are refused by another service and under another key', () => {
    expect(verifyIdentity(key, 'catalog', token, 0)).toBeNull()
    expect(verifyIdentity(Buffer.alloc(32, 2), 'reservation-feed', token, 0)).toBeNull()
  })

  it('are refused when altered', () => {
    const [header, claims, signature] = token.split('.')
    const forged = Buffer.from(JSON.stringify({ ...identity, application_id: 'app_2' })).toString('base64url')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const text of [
      '',
      '..',
      token + '.x',
      `${header}.${forged}.${signature}`,
      `${none}.${claims}.`,
      `${header}.${claims}.`,
    ]) {
      expect(verifyIdentity(key, 'reservation-feed', text, 0)).toBeNull()
    }
  })

  it('each have their own nonce', () => {
    const nonceOf = (text: string) => verifyIdentity(key, 'reservation-feed', text, 0)!.nonce
    expect(nonceOf(signIdentity(key, claims, request))).not.toBe(nonceOf(token))
  })

  it('are for one query, key and body, wherever the borders between these lie', () => {
    const target = '/x?a'
    const long = `/x?${'a'.repeat(1_000)}`
    const all = [{ target: '/x' }, { target }, { target: '/x?a\nb' }, { target, idempotencyKey: 'b' }, { target: long }]
    const bodies = all.flatMap((one) => [one, { ...one, bodyHash: 'ab' }])
    expect(new Set(bodies.map(contentOf)).size).toBe(bodies.length)
  })
})
