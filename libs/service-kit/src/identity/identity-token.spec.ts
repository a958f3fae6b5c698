import { createHmac, createSecretKey, hash } from 'node:crypto'
import { CORRELATION_HEADER, type Identity, IDENTITY_HEADER } from '@connectivity/contracts/identity'
import {
  contentOf,
  identityHeaders,
  type ReceivedRequest,
  verifyIdentity,
  wholeContentOf,
  wholeIdentityHeaders,
} from './identity-token.js'

const keyOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte))
const key = keyOf(1)
const claims: Omit<Identity, 'method' | 'path' | 'content' | 'nonce'> = {
  aud: 'reservation-feed',
  exp: 1000,
  application_id: 'app_1',
  connection: { property_id: 'con_1', external_property_id: 'PMS-é', state: 'pilot' },
  scopes: ['reservations:read'],
  correlation_id: 'abcdefgh',
}
const { correlation_id: _correlationId, ...callerClaims } = claims
const request = { method: 'GET', target: '/api/connectivity/v1/reservations?limit=5' }
const received = { ...request, headers: identityHeaders(key, claims, request) }
const token = received.headers[IDENTITY_HEADER]!
const verify = (one: ReceivedRequest, by = key) => verifyIdentity(by, 'reservation-feed', one, 0)
const withToken = (text: string) => ({ ...received, headers: { ...received.headers, [IDENTITY_HEADER]: text } })
const identity = {
  ...claims,
  method: 'GET',
  path: '/api/connectivity/v1/reservations',
  content: '',
  nonce: expect.any(String),
}

/** A JWS over any claims. */
function signed(all: object, by = key): string {
  const text = [{ alg: 'HS256', typ: 'JWT' }, all].map((one) => Buffer.from(JSON.stringify(one)).toString('base64url'))
  return `${text.join('.')}.${createHmac('sha256', by).update(text.join('.')).digest('base64url')}`
}

describe('identities', () => {
  it('return the claims until they expire', () => {
    expect(verifyIdentity(key, 'reservation-feed', received, 1000)).toEqual(identity)
    expect(verifyIdentity(key, 'reservation-feed', received, 1001)).toBeNull()
  })

  it('are refused by another service and under another key, however often they were accepted', () => {
    expect(verify(received)).toEqual(identity)
    expect(verifyIdentity(key, 'catalog', received, 0)).toBeNull()
    expect(verify(received, keyOf(2))).toBeNull()
  })

  it('begin with a JWS that any implementation verifies', () => {
    expect(token.split('.').slice(0, 3).join('.')).toBe(signed(callerClaims))
  })

  it('are refused when any part is altered, missing or too much', () => {
    const parts = token.split('.')
    const other = [Buffer.from('{"alg":"none"}').toString('base64url'), signed({ ...callerClaims, aud: 'ari' })]
    const altered = parts.flatMap((part, at) => {
      const last = part.endsWith('A') ? 'E' : 'A'
      return [`${part.slice(0, -1)}${last}`, '', ...other].map((text) => parts.with(at, text).join('.'))
    })
    const texts = ['', '.....', `${token}.`, `${token}.x`, parts.slice(0, 3).join('.'), parts.slice(0, 5).join('.')]
    for (const text of [...texts, ...altered]) {
      if (text !== token) expect({ text, found: verify(withToken(text)) }).toEqual({ text, found: null })
    }
    expect(verify({ ...received, headers: {} })).toBeNull()
  })

  it('are for one method, target and correlation id', () => {
    const { headers } = received
    for (const other of [
      { ...received, method: 'POST' },
      { ...received, target: '/api/connectivity/v1/reservations?limit=50' },
      { ...received, target: '/api/connectivity/v1/reservations' },
      { ...received, headers: { ...headers, [CORRELATION_HEADER]: 'abcdefgi' } },
      { ...received, headers: { [IDENTITY_HEADER]: token } },
    ])
      expect(verify(other)).toBeNull()
  })

  it('each have their own nonce and proof, and share the claims of one caller', () => {
    const again = identityHeaders(key, claims, request)[IDENTITY_HEADER]!
    const [ours, theirs] = [again, token].map((one) => one.split('.'))
    expect(ours!.slice(0, 3)).toEqual(theirs!.slice(0, 3))
    expect(ours!.slice(3)).not.toEqual(theirs!.slice(3))
    expect(verify(withToken(again))).toEqual(identity)
    expect(verify(withToken([...ours!.slice(0, 5), theirs![5]].join('.')))).toBeNull()
  })

  it('of different callers differ, whatever was signed before', () => {
    const other = { ...claims, application_id: 'app_2' }
    const headers = identityHeaders(key, other, request)
    expect(verify({ ...request, headers })).toEqual({ ...identity, application_id: 'app_2' })
  })

  it('are for one body and key, wherever the border between these lies', () => {
    const bodies = [undefined, 'a', 'b'].map((body) => (body === undefined ? undefined : hash('sha256', body)))
    const all = bodies.flatMap((bodyHash) =>
      [undefined, 'a', 'b'].map((idempotencyKey) => ({ idempotencyKey, bodyHash })),
    )
    expect(new Set(all.map(contentOf)).size).toBe(all.length)
    expect(contentOf({ bodyHash: hash('sha256', '') })).toBe('')
    for (const one of all) {
      const headers = identityHeaders(key, claims, { ...request, ...one })
      expect(verify({ ...request, headers })).toEqual({ ...identity, content: contentOf(one) })
    }
  })
})

describe('identities of one JWS', () => {
  const headers = wholeIdentityHeaders(key, claims, request)
  const named = { ...identity, content: '?limit=5' }

  it('name the request in their claims', () => {
    expect(verify({ ...request, headers })).toEqual(named)
    expect(verify({ ...request, headers }, keyOf(2))).toBeNull()
  })

  it('cannot be made by leaving out the proof', () => {
    expect(verify(withToken(token.split('.').slice(0, 3).join('.')))).toBeNull()
  })

  it('are for one query, key and body, wherever the borders between these lie', () => {
    const target = '/x?a'
    const long = `/x?${'a'.repeat(1_000)}`
    const all = [{ target: '/x' }, { target }, { target: '/x?a\nb' }, { target, idempotencyKey: 'b' }, { target: long }]
    const bodies = all.flatMap((one) => [one, { ...one, bodyHash: 'ab' }])
    expect(new Set([...bodies.map(wholeContentOf), ...bodies.slice(-3).map(contentOf)]).size).toBe(bodies.length + 3)
  })
})
