import { operations } from '@connectivity/contracts/partner-api'
import { operationFor } from '../../http/requests/partner-route.js'
import { rateClassOf } from './counted-request.js'

const request = (path: string, method: string) => {
  const ofPath = operations.filter((operation) => operation.path === path)
  return { operation: operationFor({ operations: ofPath, template: path, id: 'con_path' }, method) ?? null, method }
}

describe('the rate class of a request', () => {
  it.each([
    ['/reservations', 'GET', 'feed'],
    ['/reservations', 'HEAD', 'feed'],
    ['/reservations/{reservation_id}', 'GET', 'reads'],
    ['/reservations/digest', 'GET', 'digest'],
    ['/reservations/digest/rows', 'GET', 'reads'],
    ['/reservations/proofs', 'POST', 'mutations'],
    ['/ari', 'POST', 'ari'],
    ['/ari', 'GET', 'reads'],
    ['/ari', 'DELETE', 'mutations'],
    ['/reservations/ack', 'POST', 'mutations'],
    ['/properties', 'HEAD', 'reads'],
  ])('to %s by %s is %s', (path, method, rateClass) => {
    expect(rateClassOf(request(path, method))).toBe(rateClass)
  })

  it.each([
    ['GET', 'reads'],
    ['HEAD', 'reads'],
    ['POST', 'mutations'],
    ['PATCH', 'mutations'],
  ])('to an unknown path by %s is %s', (method, rateClass) => {
    expect(rateClassOf({ operation: null, method })).toBe(rateClass)
  })
})
