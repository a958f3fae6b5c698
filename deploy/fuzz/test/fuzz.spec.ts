import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { Schemas } from '@connectivity/testing/schemas'
import { changed, distorted } from '../hostile.mjs'
import { operationsOf } from '../interface.mjs'
import { faultsOf, operationFor } from '../judgement.mjs'
import { Requests } from '../requests.mjs'
import { numbered } from '../samples.mjs'
import { SchemaValues } from '../schema-values.mjs'

const document = JSON.parse(readFileSync(new URL('../../../docs/openapi.json', import.meta.url), 'utf8'))
const schemas = new Schemas(document)
const headers = { 'x-correlation-id': 'abcdefgh' }
const error = (code: string, correlation_id = 'abcdefgh') =>
  JSON.stringify({ schema_version: '1.0.0', error: { code, message: 'no', correlation_id } })
const judge = (path: string, answer: { status: number; text: string; headers?: object }) =>
  faultsOf({ operation: operationFor(document, 'GET', path), schemas }, { headers, ...answer } as never)

describe('the judgement of an answer', () => {
  it('passes what the description promises', () => {
    expect(judge('/reservations?property_id=x', { status: 403, text: error('property_forbidden') })).toEqual([])
    expect(judge('/catalog/rooms', { status: 304, text: '' })).toEqual([])
    expect(judge('/nowhere', { status: 404, text: error('not_found') })).toEqual([])
    const replayed = { ...headers, 'idempotent-replayed': 'true' }
    const text = error('not_found', 'of-the-first')
    expect(judge('/reservations/RSV-1?property_id=x', { status: 404, text, headers: replayed })).toEqual([])
  })

  it.each([
    ['a server error, even one that is described', { status: 503, text: error('service_unavailable') }],
    ['a status of another operation', { status: 422, text: error('ari_rejected') }],
    ['a code of another status', { status: 403, text: error('rate_limited') }],
    ['a body that is not JSON', { status: 400, text: '<html>' }],
    ['a body where there is none', { status: 304, text: error('invalid_request') }],
    ['another correlation id', { status: 400, text: error('invalid_request', 'another-one') }],
    ['no correlation id', { status: 400, text: error('invalid_request'), headers: {} }],
    ['a success without its fields', { status: 200, text: '{"schema_version":"1.0.0"}' }],
  ])('refuses %s', (_what, answer) => {
    expect(judge('/catalog/rooms?property_id=x', answer)).not.toEqual([])
  })

  it('knows whose path it is', () => {
    const ids = ['/reservations/events', '/reservations/RSV-1', '/reservations/', '/reservations/a/b'].map(
      (path) => operationFor(document, 'GET', path)?.operationId ?? null,
    )
    expect(ids).toEqual([expect.any(String), expect.any(String), null, null])
    expect(ids[0]).not.toBe(ids[1])
  })
})

describe('requests', () => {
  const requests = new Requests(document, new SchemaValues(document, { property_id: ['con_known'] }))

  it.each(operationsOf(document))('to %s %s are made of all that it takes, and of what it does not', (...operation) => {
    const drawn = fc.sample(requests.to(...(operation as [string, string, object])), { numRuns: 300, seed: 1 })
    const takesProperty =
      operation[0] === 'get' && JSON.stringify(operation[2].parameters).includes('parameters/PropertyId')
    expect(drawn.some(({ path }: { path: string }) => path.includes('property_id=con_known'))).toBe(takesProperty)
    const different = new Set(drawn.map((request: object) => JSON.stringify(request))).size
    expect(different).toBeGreaterThan(5)
  })
})

describe('hostile documents', () => {
  it('change nothing that they are made from', () => {
    const document = { a: [1, { b: 2 }], c: 'x' }
    const before = JSON.stringify(document)
    fc.assert(
      fc.property(distorted(fc.constant(document)), (made) => {
        JSON.stringify(made)
        expect(JSON.stringify(document)).toBe(before)
      }),
    )
  })

  it('can carry a field named like the prototype', () => {
    const made = changed({ a: {} }, [{ kind: 'add', at: 1, name: '__proto__', value: { evil: true } }])
    expect(JSON.stringify(made)).toBe('{"a":{},"__proto__":{"evil":true}}')
  })

  it('are numbered where they have numbers', () => {
    expect(numbered({ type: 't', data: { version: 1, name: 'n' } } as never, 7)).toEqual({
      type: 't',
      data: { version: 7, name: 'n' },
    })
  })
})
