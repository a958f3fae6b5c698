import type { Operation } from '@connectivity/contracts/partner-api'
import type { PartnerRoute } from '../../http/partner-route.js'
import { limitClassOf } from './counted-request.js'

const route = (path: string, methods: readonly string[]): PartnerRoute => ({
  operations: methods.map((method) => ({ method, path, owner: 'gateway', scope: null, property: null }) as Operation),
  id: 'con_path',
})

describe('the limit class of a request', () => {
  it.each([
    ['/reservations', ['GET'], 'GET', 'feed'],
    ['/reservations', ['GET'], 'HEAD', 'feed'],
    ['/reservations/{id}', ['GET'], 'GET', 'reads'],
    ['/ari', ['GET', 'POST'], 'POST', 'ari'],
    ['/ari', ['GET', 'POST'], 'GET', 'reads'],
    ['/ari', ['GET', 'POST'], 'DELETE', 'mutations'],
    ['/reservations/ack', ['POST'], 'POST', 'mutations'],
    ['/properties', ['GET'], 'HEAD', 'reads'],
  ])('to %s (%j) by %s is %s', (path, methods, method, limitClass) => {
    expect(limitClassOf(route(path, methods), method)).toBe(limitClass)
  })

  it.each([
    ['GET', 'reads'],
    ['HEAD', 'reads'],
    ['POST', 'mutations'],
    ['PATCH', 'mutations'],
  ])('to an unknown path by %s is %s', (method, limitClass) => {
    expect(limitClassOf(null, method)).toBe(limitClass)
  })
})
