import { ServiceError } from '@connectivity/contracts/errors'
import { parsePageQuery } from './page-query.js'

const parse = (query: string) => parsePageQuery(`/api/connectivity/v1/reservations?property_id=con_1${query}`)
const faultOf = (query: string): ServiceError => {
  try {
    parse(query)
  } catch (error) {
    return error as ServiceError
  }
  throw new Error(`accepted ${query}`)
}

describe('the query of GET /reservations', () => {
  it('has a limit of 50 and no bound by default', () => {
    expect(parse('&unknown=1')).toEqual({
      connectionId: 'con_1',
      limit: 50,
      updatedSince: null,
      wait: null,
      cursor: null,
    })
  })

  it.each(['1', '50', '100'])('takes limit %s', (limit) => expect(parse(`&limit=${limit}`).limit).toBe(Number(limit)))

  it.each(['0', '101', '010', '%2B10', '1.5', '1e2', '-1', '1%20', '1000', 'abc', ''])('refuses limit %j', (limit) => {
    expect(faultOf(`&limit=${limit}`)).toMatchObject({ code: 'invalid_request', details: [{ pointer: 'limit' }] })
  })

  it.each([
    ['2026-11-20T10:15:30Z', '2026-11-20T10:15:30.000Z'],
    ['2026-11-20T10:15:30.123Z', '2026-11-20T10:15:30.123Z'],
    ['2026-11-20T12:15:30%2B02:00', '2026-11-20T10:15:30.000Z'],
    ['2026-11-20T10:15:30-00:00', '2026-11-20T10:15:30.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.000Z'],
  ])('takes updated_since %s as %s', (text, time) => {
    expect(parse(`&updated_since=${text}`).updatedSince).toEqual({ from: Date.parse(time), upTo: Date.parse(time) })
  })

  it.each([
    ['2026-11-20T10:15:30.1230001Z', '2026-11-20T10:15:30.123Z'],
    ['2026-11-20T10:15:30.999999999Z', '2026-11-20T10:15:30.999Z'],
  ])('takes the finer updated_since %s as one between %s and the next millisecond', (text, before) => {
    const upTo = Date.parse(before)
    expect(parse(`&updated_since=${text}`).updatedSince).toEqual({ from: upTo + 1, upTo })
  })

  it('takes an updated_since less than a millisecond before 1970 as 1970', () => {
    expect(parse('&updated_since=1969-12-31T23:59:59.9999Z').updatedSince).toEqual({ from: 0, upTo: 0 })
  })

  it.each([
    ...['2026-11-20', '2026-11-20T10:15:30', '2026-11-20T10:15Z', '2026-11-20T10:15:30%2B0200', '2026-02-30T10:15:30Z'],
    ...[
      '2026-11-20T24:00:00Z',
      '2026-11-20T10:15:60Z',
      '10000-01-01T00:00:00Z',
      '1969-12-31T23:59:59Z',
      'now',
      '1763719200',
    ],
    ...[
      '2026-11-20t10:15:30Z',
      '2026-11-20T10:15:30z',
      '2026-11-20 10:15:30Z',
      '2026-11-20T10:15:30.Z',
      '1970-01-01T00:00:00%2B01:00',
    ],
    ...['2026-11-20T10:15:30.1234567890Z', '9999-12-31T23:59:59-01:00', '2026-13-01T00:00:00Z', ''],
  ])('refuses updated_since %j', (text) => {
    expect(faultOf(`&updated_since=${text}`)).toMatchObject({
      code: 'invalid_request',
      details: [{ pointer: 'updated_since' }],
    })
  })

  it('names %2B when a + arrived as a space', () => {
    expect(faultOf('&updated_since=2026-11-20T10:15:30+02:00').message).toContain('%2B')
  })

  it.each([
    'cursor=',
    'cursor=a&cursor=b',
    'cursor[]=a',
    'cursor=%00',
    `cursor=${'a'.repeat(1025)}`,
    'property_id=con_2',
  ])('refuses the parameter in %j', (query) => expect(faultOf(`&${query}`).code).toBe('invalid_request'))

  it('requires property_id', () => {
    expect(() => parsePageQuery('/api/connectivity/v1/reservations')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [expect.objectContaining({ pointer: 'property_id' })],
      }),
    )
  })
})
