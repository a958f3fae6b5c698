import { Schemas } from '@connectivity/testing/schemas'
import { faultsOf, leastSuccesses, operationFor, seldomSuccessful } from './judgement.ts'
import { description } from '../test/description.ts'

const schemas = new Schemas(description)
const headers = { 'x-correlation-id': 'abcdefgh' }
const error = (code: string, correlation_id = 'abcdefgh') =>
  JSON.stringify({ schema_version: '1.0.0', error: { code, message: 'no', correlation_id } })
const judge = (path: string, answer: { status: number; text: string; headers?: Record<string, string> }) =>
  faultsOf({ operation: operationFor(description, 'GET', path), schemas }, { headers, ...answer })

describe('the judgement of an answer', () => {
  it('passes answers that the description promises', () => {
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

  it('finds the operation that serves a path', () => {
    const ids = ['/reservations/events', '/reservations/RSV-1', '/reservations/', '/reservations/a/b'].map(
      (path) => operationFor(description, 'GET', path)?.operationId ?? null,
    )
    expect(ids).toEqual(['listEvents', 'getReservation', null, null])
  })
})

describe('the number of successes', () => {
  it('has to be 100 for each operation of a full run, and in proportion in a shorter one', () => {
    expect([100_000, 1_000_000, 5_000, 10].map(leastSuccesses)).toEqual([100, 100, 5, 1])
  })

  it('counts 2xx answers only', () => {
    const statuses = new Map([
      [
        'get /good',
        new Map([
          [200, 60],
          [201, 40],
        ]),
      ],
      [
        'get /seldom',
        new Map([
          [200, 99],
          [304, 1_000],
          [400, 1_000],
        ]),
      ],
      ['get /never', new Map()],
    ])
    expect(seldomSuccessful(statuses, 100_000)).toEqual(['get /seldom', 'get /never'])
  })
})
