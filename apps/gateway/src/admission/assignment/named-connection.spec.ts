import type { Operation } from '@connectivity/contracts/operation'
import { queryOf } from '@connectivity/contracts/request-target'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { unreadBody } from '../../http/requests/received-body.js'
import { idAtBeginning, namedConnection, namedForLogs } from './named-connection.js'

describe('the connection that a request names', () => {
  const bodyOf = (text: string) => ({ ...unreadBody({ headers: {} }), bytes: Buffer.from(text) })
  const named = (property: string | null, target: string, body = '', idInPath = 'con_path') => {
    const operation = { method: 'POST', path: '/x', owner: 'gateway', scope: null, property } as Operation
    return namedConnection({
      route: { operations: [operation], template: '/{id}', id: idInPath },
      operation,
      query: queryOf(target),
      body: bodyOf(body),
    })
  }

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
    expect(named(property, target, body)).toMatchObject({ id, fault: null })
  })

  it.each([
    ['con%5Fp%61th', 'con_path'],
    ['con_path%', 'con_path%'],
    ['con_%ff', 'con_%ff'],
    ['a'.repeat(1_024), 'a'.repeat(1_024)],
    ['con_%00', null],
    ['a'.repeat(1_025), null],
  ])('in the path %s is %s', (segment, id) => {
    const fault = id === null ? expect.objectContaining({ code: 'invalid_request' }) : null
    expect(named('path', '/x', '', segment)).toEqual({ id, fault })
  })

  it.each([
    ['{"property_id":"con_2","updates":[', 'con_2'],
    [' {\n  "property_id" : "con_2"}', 'con_2'],
    ['{"updates":[],"property_id":"con_2"}', null],
    ['{"updates":[{"property_id":"con_2"}]}', null],
    ['{"property_id":"con_\\u0032"}', null],
    ['{"property_id":7}', null],
    [`${' '.repeat(256)}{"property_id":"con_2"}`, null],
    ['', null],
  ])('at the beginning of %j is %s', (body, id) => {
    expect(idAtBeginning(Buffer.from(body))).toBe(id)
  })

  it('is read together with the rest of the body, even from a body that is refused later', () => {
    const inBody = (body: string) => named('body', '/x', body)
    expect(inBody('{"property_id":"con_2","a":1}').body).toEqual({
      value: { property_id: 'con_2', a: 1 },
      fault: null,
    })
    const fault = expect.objectContaining({ code: 'invalid_request' })
    expect(inBody('{"property_id":"con_2","a":1,"a":2}')).toMatchObject({ id: 'con_2', body: { fault } })
    expect(inBody(`{"property_id":"con_2","a":[${'1,'.repeat(200_000)}1]}`)).toMatchObject({
      id: null,
      body: { fault },
    })
  })

  it('is null when the parameter is invalid, and the fault is kept for later', () => {
    const { id, fault } = named('query', '/x?property_id=a&property_id=b')
    expect([id, fault]).toEqual([null, expect.objectContaining({ code: 'invalid_request' })])
  })

  it('is null at an unknown path', () => {
    const none = { route: null, operation: null, query: 'property_id=con_1', body: bodyOf('') }
    expect(namedConnection(none)).toEqual({ id: null, fault: null })
  })

  it.each([
    ['con_1', 'con_1'],
    ['con_1%0a', null],
    ['a secret pasted here', null],
  ])('is logged only with the form of our ids: %j', (namedId, logged) => {
    const facts = { namedId } as PartnerRequest['facts']
    expect(namedForLogs({ facts, route: null, operation: null, query: '', body: bodyOf('') })).toBe(logged)
  })
})
