import type { Operation } from '@connectivity/contracts/operation'
import { operations } from '@connectivity/contracts/partner-api'
import { ServiceError } from '@connectivity/contracts/errors'
import { IsInt } from 'class-validator'
import { addressedId } from './assignment/assignment.js'
import { checkBody, readJson } from './mutation.js'

class Nothing {}
class Something {
  @IsInt()
  count: number
}

const operation = (given: Partial<Operation>): Operation => ({
  method: 'POST',
  path: '/things',
  owner: 'catalog',
  scope: null,
  property: null,
  body: Something,
  ...given,
})
const json = { 'content-type': 'application/json' }
const sent = (headers: Record<string, string>) => ({ headers, rawHeaders: Object.entries(headers).flat() })

const outcome = (given: Partial<Operation>, body: string, headers: Record<string, string> = json): unknown => {
  try {
    const value = readJson(operation(given), sent(headers), Buffer.from(body))
    checkBody(operation(given), '', value)
    return value
  } catch (error) {
    const { code, details } = error as ServiceError
    return [code, ...(details ?? []).map(({ pointer, code }) => `${pointer} ${code}`)].join(', ')
  }
}

describe('the body of a mutation', () => {
  it.each([
    ['{"count":1}', { count: 1 }],
    ['{"count":"1"}', 'invalid_request, /count invalid_value'],
    ['{}', 'invalid_request, /count missing'],
    ['', 'invalid_request,  empty'],
    ['null', 'invalid_request,  invalid_value'],
    ['[]', 'invalid_request,  invalid_value'],
    ['1', 'invalid_request,  invalid_value'],
    ['{"count":1,"x":2}', 'invalid_request, /x unknown_field'],
  ])('for a call with fields: %j gives %j', (body, expected) => expect(outcome({}, body)).toEqual(expected))

  it.each([
    ['', undefined],
    ['{}', {}],
    ['null', 'invalid_request,  invalid_value'],
    ['{"x":1}', 'invalid_request, /x unknown_field'],
  ])('for an action without fields: %j gives %j', (body, expected) =>
    expect(outcome({ body: Nothing }, body)).toEqual(expected),
  )

  it('of a DELETE must be absent', () => {
    const given: Partial<Operation> = { method: 'DELETE', body: null }
    expect(outcome(given, '')).toBeUndefined()
    expect(outcome(given, '{}')).toBe('invalid_request,  unexpected_body')
    expect(outcome(given, 'x', { 'content-type': 'text/plain' })).toBe('unsupported_media_type')
  })

  it.each([
    ['/ari', 'dry_run=maybe', { property_id: 'con_1', updates: [{}] }, 'dry_run'],
    ['/ari', 'dry_run=true&dry_run=true', { property_id: 'con_1', updates: [{}] }, 'dry_run'],
    ['/reservations/events/replay', '', { property_id: 'con_1' }, ''],
    ['/reservations/events/replay', '', { property_id: 'con_1', from_sequence: 2, to_sequence: 1 }, '/to_sequence'],
  ])('to %s?%s is checked against the rule of the call', (path, query, body, pointer) => {
    const called = operations.find((one) => one.method === 'POST' && one.path === path)!
    const refused = expect.objectContaining({
      code: 'invalid_request',
      details: [expect.objectContaining({ pointer })],
    })
    expect(() => called.rule!(query, body)).toThrow(refused)
  })

  it('is not parsed a second time', () => {
    const read = { value: { count: 2 }, fault: null }
    expect(readJson(operation({}), sent(json), Buffer.from('{"count":1}'), read)).toBe(read.value)
    expect(() => readJson(operation({}), sent({}), Buffer.from('{"count":1}'), read)).toThrow(ServiceError)
  })

  it('needs a media type only if it is present', () => {
    expect(outcome({ body: Nothing }, '', { 'content-type': 'text/plain' })).toBeUndefined()
    expect(outcome({}, '', { 'content-type': 'text/plain' })).toBe('unsupported_media_type')
    expect(outcome({}, '', {})).toBe('invalid_request,  empty')
    expect(outcome({}, '{"count":1}', {})).toBe('unsupported_media_type')
    expect(outcome({}, '{"count":1}', { ...json, 'content-encoding': 'gzip' })).toBe('unsupported_media_type')
    expect(outcome({}, '{"count":1}', { ...json, 'content-encoding': 'identity' })).toEqual({ count: 1 })
  })

  it.each([
    ['application/json;', true],
    ['application/json; foo=bar', true],
    ['application/json;charset=utf-8;profile="x"', true],
    ['Application/JSON ; Charset="UTF-8"', true],
    ['application/json; charset=iso-8859-1', false],
    ['application/json; charset=utf-8; charset=utf-16', false],
    ['application/jsonx', false],
    ['text/plain; charset=utf-8', false],
  ])('of the type %s is read: %s', (type, isRead) =>
    expect(outcome({}, '{"count":1}', { 'content-type': type })).toEqual(
      isRead ? { count: 1 } : 'unsupported_media_type',
    ),
  )

  it('has one media type', () => {
    const twice = { headers: json, rawHeaders: ['Content-Type', 'application/json', 'content-type', 'text/plain'] }
    expect(() => readJson(operation({}), twice, Buffer.from('{"count":1}'))).toThrow('Send one Content-Type')
  })
})

describe('property_id in a body', () => {
  const read = (body: unknown) => addressedId(operation({ property: 'body' }), { id: null, fault: null }, body)

  it('is accepted unchanged', () => expect(read({ property_id: 'con_1', more: 1 })).toBe('con_1'))

  it.each([
    [{}, 'missing'],
    [{ property_id: null }, 'invalid_value'],
    [{ property_id: 1 }, 'invalid_value'],
    [{ property_id: '' }, 'invalid_value'],
    [{ property_id: 'a\0' }, 'nul'],
    [{ property_id: 'a'.repeat(1025) }, 'too_long'],
  ])('%j is refused as %s', (body, code) => {
    const details = [expect.objectContaining({ pointer: '/property_id', code })]
    expect(() => read(body)).toThrow(expect.objectContaining({ code: 'invalid_request', details }))
  })

  it.each([[[]], ['con_1'], [null], [7], [['property_id']]])(
    'refuses the body %j, which is not an object, before it looks for a property',
    (body) => {
      const details = [{ pointer: '', code: 'invalid_value', message: 'The body must be a JSON object.' }]
      expect(() => read(body)).toThrow(expect.objectContaining({ code: 'invalid_request', details }))
    },
  )
})
