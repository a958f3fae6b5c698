import type { Operation } from '@connectivity/contracts/partner-api'
import type { FastifyRequest } from 'fastify'
import { namedProperty } from './named-property.js'
import type { PartnerRoute } from '../../http/partner-route.js'

const route = (property: string | null): PartnerRoute => ({
  operations: [{ method: 'POST', path: '/x', owner: 'gateway', scope: null, property } as Operation],
  id: 'con_path',
})

describe('the connection that a request names', () => {
  const request = (target: string, body = '') =>
    ({ method: 'POST', originalUrl: target, rawBody: Buffer.from(body) }) as FastifyRequest

  it.each([
    ['path', '/x', '', 'con_path'],
    ['query', '/x?property_id=con_1&limit=5', '', 'con_1'],
    ['query', '/x', '', null],
    ['body', '/x', '{"property_id":"con_2","updates":[{"property_id":"con_3"}]}', 'con_2'],
    ['body', '/x', '{"property_id":7}', null],
    ['body', '/x', 'null', null],
    ['body', '/x', '{', null],
    [null, '/x?property_id=con_1', '', null],
  ])('in the %s of %s %s is %s', (property, target, body, id) => {
    expect(namedProperty(route(property), request(target, body))).toMatchObject({ id, fault: null })
  })

  it('is read together with the rest of the body, even from a body that is refused later', () => {
    const named = (body: string) => namedProperty(route('body'), request('/x', body))
    expect(named('{"property_id":"con_2","a":1}').body).toEqual({
      value: { property_id: 'con_2', a: 1 },
      fault: null,
    })
    const fault = expect.objectContaining({ code: 'invalid_request' })
    expect(named('{"property_id":"con_2","a":1,"a":2}')).toMatchObject({ id: 'con_2', body: { fault } })
    expect(named(`{"property_id":"con_2","a":[${'1,'.repeat(200_000)}1]}`)).toMatchObject({ id: null, body: { fault } })
  })

  it('is null when the parameter is invalid, and the fault is kept for later', () => {
    const { id, fault } = namedProperty(route('query'), request('/x?property_id=a&property_id=b'))
    expect([id, fault]).toEqual([null, expect.objectContaining({ code: 'invalid_request' })])
  })

  it('is null at an unknown path', () => {
    expect(namedProperty(null, request('/x?property_id=con_1'))).toEqual({ id: null, fault: null })
  })
})
