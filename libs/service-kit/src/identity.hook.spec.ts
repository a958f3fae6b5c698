import type { Identity, OperatorIdentity } from '@connectivity/contracts/identity'
import Fastify from 'fastify'
import { signIdentity } from './identity-token.js'
import { requireIdentity } from './identity.hook.js'

const key = Buffer.alloc(32, 1)
const claims = { aud: 'catalog' as const, exp: Date.now() / 1000 + 30, correlation_id: 'abcdefgh' }
const partner = (method: string, path: string): Identity => ({
  ...claims,
  application_id: 'app_1',
  connection: null,
  scopes: [],
  method,
  path,
})
const operator = (method: string, path: string): OperatorIdentity => ({ ...claims, operator: 'olga', method, path })

const fastify = Fastify()
const nextKey = Buffer.alloc(32, 2)
requireIdentity(fastify, 'catalog', [nextKey, key])
fastify.all('/*', (request) => ({ identity: request.identity, operator: request.operatorIdentity }))

const ask = async (method: 'GET' | 'PUT', url: string, identity?: Identity | OperatorIdentity, signedWith = key) => {
  const headers = identity && { 'x-internal-identity': signIdentity(signedWith, identity) }
  const { statusCode, json } = await fastify.inject({ method, url, ...(headers && { headers }) })
  return statusCode === 200 ? (json() as object) : statusCode
}
const REFUSED = 401

describe('the identity of a request', () => {
  it('is a partner on the partner paths', async () => {
    const identity = partner('GET', '/api/x')
    expect(await ask('GET', '/api/x?a=b', identity)).toEqual({ identity, operator: null })
  })

  it("is an operator on the operators' paths", async () => {
    const path = '/ops/v1/connections/con_1/mappings'
    expect(await ask('PUT', path, operator('PUT', path))).toEqual({
      identity: null,
      operator: { subject: 'olga', method: 'PUT', path, correlation_id: 'abcdefgh' },
    })
  })

  it('of the one kind opens no path of the other', async () => {
    expect(await ask('GET', '/ops/v1/x', partner('GET', '/ops/v1/x'))).toBe(REFUSED)
    expect(await ask('GET', '/api/x', operator('GET', '/api/x'))).toBe(REFUSED)
    expect(await ask('GET', '/ops/v1', operator('GET', '/ops/v1'))).toBe(REFUSED)
  })

  it('may be signed with any key that the service knows, so that one can take the place of another', async () => {
    const identity = partner('GET', '/api/x')
    expect(await ask('GET', '/api/x', identity, nextKey)).toMatchObject({ identity })
    expect(await ask('GET', '/api/x', identity, Buffer.alloc(32, 3))).toBe(REFUSED)
  })

  it('is for one method and path', async () => {
    expect(await ask('PUT', '/ops/v1/x', operator('GET', '/ops/v1/x'))).toBe(REFUSED)
    expect(await ask('GET', '/ops/v1/y', operator('GET', '/ops/v1/x'))).toBe(REFUSED)
    expect(await ask('GET', '/ops/v1/x')).toBe(REFUSED)
  })

  it('is asked for neither by probes nor by metrics', async () => {
    for (const url of ['/health/ready', '/metrics']) expect(await ask('GET', url)).toMatchObject({})
  })
})
