import type { Operation } from '@connectivity/contracts/partner-api'
import type { FastifyRequest } from 'fastify'
import type { PartnerRoute } from '../door/partner-route.js'
import { addressedId, limitClassOf } from './counted-request.js'

const route = (path: string, methods: readonly string[], property: string | null = null): PartnerRoute => ({
  operations: methods.map((method) => ({ method, path, owner: 'gateway', scope: null, property }) as Operation),
  id: 'con_path',
})

describe('the class of a request', () => {
  it.each([
    ['/reservations', ['GET'], 'GET', 'feed'],
    ['/reservations', ['GET'], 'HEAD', 'feed'],
    ['/reservations/{id}', ['GET'], 'GET', 'reads'],
    ['/ari', ['GET', 'POST'], 'POST', 'ari'],
    ['/ari', ['GET', 'POST'], 'GET', 'reads'],
    ['/ari', ['GET', 'POST'], 'DELETE', 'mutations'],
    ['/reservations/ack', ['POST'], 'POST', 'mutations'],
    ['/properties', ['GET'], 'HEAD', 'reads'],
  ])('%s (%j) by %s is %s', (path, methods, method, limitClass) => {
    expect(limitClassOf(route(path, methods), method)).toBe(limitClass)
  })

  it.each([
    ['GET', 'reads'],
    ['HEAD', 'reads'],
    ['POST', 'mutations'],
    ['PATCH', 'mutations'],
  ])('of an unknown path by %s is %s', (method, limitClass) => {
    expect(limitClassOf(null, method)).toBe(limitClass)
  })
})

describe('the connection that a request addresses', () => {
  const request = (target: string, body = '') =>
    ({ method: 'POST', originalUrl: target, rawBody: Buffer.from(body) }) as FastifyRequest

  it.each([
    ['path', '/x', '', 'con_path'],
    ['query', '/x?property_id=con_1&limit=5', '', 'con_1'],
    ['query', '/x', '', null],
    ['query', '/x?property_id=a&property_id=b', '', null],
    ['body', '/x', '{"property_id":"con_2","updates":[{"property_id":"con_3"}]}', 'con_2'],
    ['body', '/x', '{"property_id":7}', null],
    ['body', '/x', 'null', null],
    ['body', '/x', '{', null],
    [null, '/x?property_id=con_1', '', null],
  ])('in the %s of %s %s is %s', (property, target, body, id) => {
    expect(addressedId(route('/x', ['POST'], property), request(target, body))).toBe(id)
  })
})
