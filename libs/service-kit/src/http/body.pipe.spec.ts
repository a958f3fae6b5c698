import { MAX_DETAILS, ServiceError } from '@connectivity/contracts/errors'
import { EventsReplay } from '@connectivity/contracts/event-index'
import { MappingsWrite } from '@connectivity/contracts/mappings'
import {
  ChangeLimits,
  CreateApplication,
  IssueCredential,
  RedeliverReservations,
  RotateCredential,
} from '@connectivity/contracts/operators-api'
import { readBody } from './body.pipe.js'

const refusalOf = (shape: new () => object, body: unknown): ServiceError => {
  try {
    readBody(shape, body)
  } catch (error) {
    return error as ServiceError
  }
  throw new Error('accepted')
}

describe('the refusal of a body', () => {
  const messages = (shape: new () => object, body: unknown) =>
    refusalOf(shape, body).details!.map(({ message }) => message)

  it.each([[{}], [{ mappings: {} }], [{ mappings: null }]])('of %j asks for a list without giving its length', (body) =>
    expect(messages(MappingsWrite, body)).toEqual(['/mappings: mappings must be an array.']),
  )

  it.each([['1'], [null], [1.5]])('of an overlap %j asks for an integer before it gives bounds', (overlap_seconds) =>
    expect(messages(RotateCredential, { reason: 'x', overlap_seconds })).toEqual([
      '/overlap_seconds: overlap_seconds must be an integer number.',
    ]),
  )

  it('gives the bounds of an integer that is too large', () =>
    expect(messages(RotateCredential, { reason: 'x', overlap_seconds: 1e9 })).toEqual([
      '/overlap_seconds: overlap_seconds must not be greater than 31536000.',
    ]))

  it('asks for a missing number by its type', () =>
    expect(messages(ChangeLimits, { reason: 'x', limits: { feed: { per_minute: 1 } } })).toEqual([
      '/limits/feed/burst: burst must be an integer number.',
    ]))

  it('gives the required length of a list that is too short', () =>
    expect(messages(MappingsWrite, { mappings: [] })).toEqual([
      '/mappings: mappings must contain at least 1 elements.',
    ]))

  it('reports a redelivery that names neither ids nor a range', () =>
    expect(messages(RedeliverReservations, { reason: 'x' })).toEqual([
      '/reservation_ids: must be a list of ids; leave it out only beside check_in_from or check_in_to.',
    ]))

  it.each([[[]], [null], ['x'], [7]])('of %j, which is not an object, has one detail about the whole', (body) =>
    expect(refusalOf(MappingsWrite, body).details).toEqual([
      { pointer: '', code: 'invalid_value', message: 'The body must be a JSON object.' },
    ]),
  )

  it('has one detail for each list element that is not an object', () => {
    const mapping = { entity_type: 'room', service_id: 'r', external_id: null }
    expect(refusalOf(MappingsWrite, { mappings: [[], mapping, 'x', null, [mapping]] }).details).toEqual(
      [0, 2, 3, 4].map((index) => ({
        pointer: `/mappings/${index}`,
        code: 'invalid_value',
        message: `/mappings/${index}: must be an object.`,
      })),
    )
  })

  it('points at each element of a list of plain values that breaks a rule', () => {
    const pointers = (ids: unknown[]) =>
      refusalOf(EventsReplay, { property_id: 'con_1', event_ids: ids }).details!.map(({ pointer }) => pointer)
    expect(pointers(['evt_1', 5, 'evt_2', null])).toEqual(['/event_ids/1', '/event_ids/3'])
    // One more than an answer names.
    expect(pointers(Array(1_000).fill(7))).toHaveLength(MAX_DETAILS + 1)
  })

  it('asks for an object in place of a list, without details about the elements', () =>
    expect(messages(CreateApplication, { reason: 'r', name: 'n', contact: ['x', 'y'] })).toEqual([
      '/contact: contact must be an object.',
    ]))

  it('reports a list that is too long, without details about the elements', () => {
    const ids = Array(1_001).fill(7)
    expect(messages(EventsReplay, { property_id: 'con_1', event_ids: ids })).toEqual([
      '/event_ids: event_ids must contain no more than 1000 elements.',
    ])
    expect(messages(MappingsWrite, { mappings: Array(501).fill({}) })).toEqual([
      '/mappings: mappings must contain no more than 500 elements.',
    ])
  })

  it('reports a list with a repeated element', () =>
    expect(messages(IssueCredential, { reason: 'r', type: 'oauth', scopes: ['ari:read', 'ari:read'] })).toEqual([
      "/scopes: All scopes's elements must be unique.",
    ]))
})

describe('a body with many faults', () => {
  const errorOf = (shape: new () => object, body: unknown) => refusalOf(shape, body).body('c').error

  it('is refused with 100 details and a note that there are more', () => {
    const { details, details_truncated } = errorOf(MappingsWrite, { mappings: Array(34).fill({}) })
    expect([details!.length, details_truncated]).toEqual([100, true])
    expect(details![99]).toMatchObject({ pointer: '/mappings/33/entity_type', code: 'missing' })
  })

  it('is refused with all details when there are exactly 100', () => {
    const mappings = [...Array(33).fill({}), { entity_type: 'room', service_id: 'r' }]
    const { details, details_truncated } = errorOf(MappingsWrite, { mappings })
    expect([details!.length, details_truncated]).toEqual([100, undefined])
  })

  it('is not checked beyond the first fault that the refusal omits', () => {
    let looks = 0
    const mapping = { get entity_type() { return looks++ } } // prettier-ignore
    expect(errorOf(MappingsWrite, { mappings: Array(500).fill(mapping) }).details_truncated).toBe(true)
    expect(looks).toBeLessThan(110)
  })

  it('counts its unknown keys towards the 100', () => {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`k${index}`, 0]))
    const { details } = errorOf(MappingsWrite, unknown)
    expect(details).toHaveLength(100)
    expect(details![0]).toEqual({ pointer: '/k0', code: 'unknown_field', message: '/k0 is not a known field.' })
  })
})
