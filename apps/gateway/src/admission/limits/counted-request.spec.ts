import type { Operation } from '@connectivity/contracts/operation'
import { operationFor } from '../../http/partner-route.js'
import { limitClassOf } from './counted-request.js'

const request = (path: string, methods: readonly string[], method: string) => {
  const operations = methods.map((each) => ({ method: each, path, owner: 'gateway', scope: null }) as Operation)
  return { operation: operationFor({ operations, template: path, id: 'con_path' }, method) ?? null, method }
}

describe('the limit class of a request', () => {
  it.each([
    ['/reservations', ['GET'], 'GET', 'feed'],
    ['/reservations', ['GET'], 'HEAD', 'feed'],
    ['/reservations/{reservation_id}', ['GET'], 'GET', 'reads'],
    ['/reservations/digest', ['GET'], 'GET', 'digest'],
    ['/reservations/digest/rows', ['GET'], 'GET', 'reads'],
    ['/reservations/proofs', ['POST'], 'POST', 'mutations'],
    ['/ari', ['GET', 'POST'], 'POST', 'ari'],
    ['/ari', ['GET', 'POST'], 'GET', 'reads'],
    ['/ari', ['GET', 'POST'], 'DELETE', 'mutations'],
    ['/reservations/ack', ['POST'], 'POST', 'mutations'],
    ['/properties', ['GET'], 'HEAD', 'reads'],
  ])('to %s (%j) by %s is %s', (path, methods, method, limitClass) => {
    expect(limitClassOf(request(path, methods, method))).toBe(limitClass)
  })

  it.each([
    ['GET', 'reads'],
    ['HEAD', 'reads'],
    ['POST', 'mutations'],
    ['PATCH', 'mutations'],
  ])('to an unknown path by %s is %s', (method, limitClass) => {
    expect(limitClassOf({ operation: null, method })).toBe(limitClass)
  })
})
