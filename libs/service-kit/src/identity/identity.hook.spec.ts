import { createSecretKey, hash, type KeyObject } from 'node:crypto'
import type { OperatorRole } from '@connectivity/contracts/identity'
import { operations } from '@connectivity/contracts/partner-api'
import type { Scope } from '@connectivity/contracts/scopes'
import Fastify, { type FastifyRequest } from 'fastify'
import { type IdentifiedRequest, identityHeaders, wholeIdentityHeaders } from './identity-token.js'
import { requireIdentity } from './identity.hook.js'
import { readBodiesStrictly } from '../http/json-body.js'
import { recordRequests } from '../http/request-record.js'
import type { Logger } from '../logging/logging.js'
import { scopesNeeded } from './needed-rights.js'

const ROOMS = '/api/connectivity/v1/catalog/rooms'
const MAPPINGS = '/api/connectivity/v1/properties/con_1/mappings'
const OPERATED = '/ops/v1/connections/con_1/mappings'
const keyOf = (byte: number) => createSecretKey(Buffer.alloc(32, byte))
const [key, nextKey] = [keyOf(1), keyOf(2)]
const claims = { aud: 'catalog' as const, exp: Date.now() / 1000 + 30, correlation_id: 'abcdefgh' }
const partner = (...scopes: Scope[]) => ({ ...claims, application_id: 'app_1', connection: null, scopes })
const reader = partner('catalog:read')
const writer = partner('mappings:read', 'mappings:write')
const operator = (role?: OperatorRole) => ({ ...claims, operator: 'olga', ...(role ? { role } : {}) })

const fastify = Fastify()
recordRequests(fastify, { info: () => undefined, debug: () => undefined } as unknown as Logger)
readBodiesStrictly(fastify)
requireIdentity(
  fastify,
  'catalog',
  [nextKey, key].map((one) => one.export()),
)
const shown = ({ caller }: Pick<FastifyRequest, 'caller'>) => ({
  identity: caller?.partner ?? null,
  operator: caller?.operator ?? null,
})
fastify.get(ROOMS, shown)
fastify.get('/api/connectivity/v1/nobodys', shown)
fastify.post('/api/connectivity/v1/properties/:connectionId/mappings', shown)
for (const place of ['/ops/v1/*', '/ops/v1', '/health/ready', '/metrics']) fastify.all(place, shown)

interface Sent {
  method?: 'GET' | 'PUT' | 'POST'
  body?: string
  idempotencyKey?: string
}
const REFUSED = 401
/** Makes identities, in the form that a suite is about. */
let vouch = identityHeaders
const identityFor = (
  target: string,
  who: Parameters<typeof identityHeaders>[1],
  { method = 'GET', ...sent }: Sent = {},
) => {
  const { body, idempotencyKey } = sent
  const request: IdentifiedRequest = { method, target, idempotencyKey, bodyHash: hash('sha256', body ?? '') }
  return vouch(key, who, request)
}
const send = async (
  target: string,
  identity: Record<string, string>,
  { method = 'GET', body, idempotencyKey }: Sent = {},
) => {
  const headers = {
    ...identity,
    ...(body && { 'content-type': 'application/json' }),
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  }
  const { statusCode, json } = await fastify.inject({ method, url: target, headers, ...(body && { payload: body }) })
  return statusCode === 200 ? (json() as object) : statusCode
}
const ask = (target: string, who: Parameters<typeof identityHeaders>[1], sent: Sent = {}) =>
  send(target, identityFor(target, who, sent), sent)

describe.each([
  ['with a proof', identityHeaders],
  ['of one JWS', wholeIdentityHeaders],
])('the identity of a request, %s,', (_form, ofForm) => {
  beforeAll(() => void (vouch = ofForm))

  it('is a partner on the partner paths', async () => {
    const expected = { ...reader, method: 'GET', path: ROOMS }
    expect(await ask(`${ROOMS}?a=b`, reader)).toMatchObject({ identity: expected, operator: null })
  })

  it("is an operator on the operators' paths", async () => {
    expect(await ask(OPERATED, operator('connectivity:operate'), { method: 'PUT' })).toEqual({
      identity: null,
      operator: {
        subject: 'olga',
        role: 'connectivity:operate',
        method: 'PUT',
        path: OPERATED,
        correlation_id: 'abcdefgh',
      },
    })
  })

  it('of one kind opens no path of the other', async () => {
    expect(await ask('/ops/v1/x', reader)).toBe(REFUSED)
    expect(await ask(ROOMS, operator())).toBe(REFUSED)
    expect(await ask('/ops/v1', operator())).toBe(REFUSED)
  })

  it('may be signed with any key that the service knows, so that keys can be rotated', async () => {
    const signed = (by: KeyObject) => send(ROOMS, vouch(by, reader, { method: 'GET', target: ROOMS }))
    expect(await signed(nextKey)).toMatchObject({ identity: reader })
    expect(await signed(keyOf(3))).toBe(REFUSED)
  })

  it('is for one method, path and query', async () => {
    const identity = () => identityFor(`${ROOMS}?limit=5`, reader)
    for (const target of [ROOMS, `${ROOMS}?limit=50`, `${ROOMS}?limit=5&x`, '/api/connectivity/v1/nobodys?limit=5'])
      expect(await send(target, identity())).toBe(REFUSED)
    expect(await send(`${ROOMS}?limit=5`, identity(), { method: 'PUT' })).toBe(REFUSED)
    expect(await send(`${ROOMS}?limit=5`, identity())).toMatchObject({ operator: null })
    expect(await send(ROOMS, {})).toBe(REFUSED)
  })

  it('is for one body and one Idempotency-Key', async () => {
    const sent: Sent = { method: 'POST', body: '{"a":1}', idempotencyKey: 'k' }
    const identity = () => identityFor(MAPPINGS, writer, sent)
    const { idempotencyKey: _key, ...keyless } = sent
    const { body: _body, ...bodiless } = sent
    for (const other of [{ ...sent, body: '{"a":2}' }, { ...sent, idempotencyKey: 'l' }, keyless, bodiless])
      expect(await send(MAPPINGS, identity(), other)).toBe(REFUSED)
    expect(await send(MAPPINGS, identity(), sent)).toMatchObject({ operator: null })
  })

  it('may be used once more, after a broken connection, and then no more', async () => {
    const identity = identityFor(ROOMS, reader)
    for (const use of [1, 2])
      expect({ use, got: await send(ROOMS, identity) }).toMatchObject({ got: { identity: reader } })
    for (const use of [3, 4]) expect({ use, got: await send(ROOMS, identity) }).toEqual({ use, got: REFUSED })
  })

  it('is not required by probes and metrics', async () => {
    for (const url of ['/health/ready', '/metrics']) expect(await send(url, {})).toMatchObject({})
  })
})

describe('the rights of an identity', () => {
  const FORBIDDEN = 403

  it('follow from its scopes, even if the gateway admitted the request', async () => {
    expect(await ask(ROOMS, writer)).toBe(FORBIDDEN)
    expect(await ask(ROOMS, partner())).toBe(FORBIDDEN)
    expect(await ask(MAPPINGS, reader, { method: 'POST' })).toBe(FORBIDDEN)
    expect(await ask('/api/connectivity/v1/nobodys', reader)).toBe(FORBIDDEN)
  })

  it('follow from its role', async () => {
    const read = operator('connectivity:read')
    expect(await ask(OPERATED, read, { method: 'PUT' })).toBe(FORBIDDEN)
    expect(await ask('/ops/v1/dead-letters/catalog/1/replay', read, { method: 'POST' })).toBe(FORBIDDEN)
    expect(await ask(OPERATED, read)).toMatchObject({ identity: null })
    expect(await ask('/ops/v1/dead-letters/catalog/counts', read, { method: 'POST' })).toMatchObject({ identity: null })
  })

  it('are known for every operation of a service', () => {
    for (const { owner, method, path, scope } of operations) {
      if (owner === 'gateway') continue
      expect([path, scopesNeeded(owner)(method, `/api/connectivity/v1${path.replace(/\{\w+\}/, ':any')}`)]).toEqual([
        path,
        scope,
      ])
    }
  })
})
