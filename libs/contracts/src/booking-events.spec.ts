import fc from 'fast-check'
import { parseBookingEvent } from './booking-events.js'
import { ContractViolation } from './contract-violation.js'

type Fields = Record<string, unknown>

const line = { room_id: 'rm_1', rate_plan_id: 'rp_1', quantity: 1, adults: 2 }
const least = {
  reservation_id: 'RSV-1',
  property_id: 'prop_1',
  version: 1,
  status: 'confirmed',
  check_in: '2026-12-01',
  check_out: '2026-12-05',
  currency: 'EUR',
  accommodation: [line],
}

const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const parse = (given: Fields = {}) =>
  parseBookingEvent(bytes({ specversion: '1.0', data: { ...least, ...given } })).booking
const parseLine = (given: Fields) => parse({ accommodation: [{ ...line, ...given }] }).accommodation[0]

describe('booking events', () => {
  it('need ids, version, status, dates, currency and lines; all else may be absent', () => {
    expect(parse()).toEqual({
      ...least,
      created_at: null,
      guest_count: null,
      guest: { first_name: null, last_name: null, full_name: null, email: null, phone: null },
      total_amount: null,
      paid_amount: null,
      accommodation: [
        {
          ...line,
          ...{ rate_plan_name: null, beds: null, bed_type: null, room_number: null, room_type: null, is_dorm: null },
          children: 0,
        },
      ],
      special_requests: null,
    })
  })

  it.each<[string, Buffer]>([
    ['empty', Buffer.alloc(0)],
    ['not JSON', Buffer.from('{"data":')],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
    ['after a byte order mark', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes({ data: least })])],
    ['null', bytes(null)],
    ['an array', bytes([])],
    ['a text', bytes('event')],
    ['without data', bytes({ specversion: '1.0' })],
    ['of another specversion', bytes({ specversion: '0.3', data: least })],
    ['with data that is no object', bytes({ data: [least] })],
    ['with null data', bytes({ data: null })],
  ])('that are %s are dead letters', (_name, value) => {
    expect(() => parseBookingEvent(value)).toThrow(ContractViolation)
  })

  const ids: unknown[] = [undefined, null, '', 1, {}, 'x'.repeat(129), 'a\0', 'a\x1f', 'a\x1e', 'a\ud800']
  const integers: unknown[] = [undefined, null, '1', 1.5, 2 ** 53, true]
  const dates: unknown[] = [
    undefined,
    null,
    'soon',
    '2026-02-30',
    '2026-2-3',
    '20261201',
    '2026-12-01T00:00:00Z',
    20261201,
  ]
  const amounts: unknown[] = [412.5, '', '+1', '01', '1.', '.5', '1.00000', '1e3', '1,50', 'NaN', '1'.repeat(19)]
  const times: unknown[] = ['yesterday', '2026-12-01', '2026-12-01T10:00:00', '2026-02-30T10:00:00Z', 1764583200000, {}]
  const texts: unknown[] = [1, true, {}, []]
  const rejected: [string, unknown[]][] = [
    ['reservation_id', ids],
    ['property_id', ids],
    ['version', integers],
    ['status', [undefined, null, '', 'CONFIRMED', 'no_show', 1]],
    ['check_in', dates],
    ['check_out', dates],
    ['currency', [undefined, null, 978, {}]],
    ['total_amount', amounts],
    ['paid_amount', amounts],
    ['created_at', times],
    ['guest_count', ['2', 1.5, {}]],
    ['guest', ['Ada', [], 1]],
    ['special_requests', texts],
    ['accommodation', [undefined, null, {}, 'rm_1', [null], ['rm_1'], [[]]]],
  ]
  const cases = rejected.flatMap(([name, values]) => values.map((value) => [name, value] as const))

  it.each(cases)('with %s = %p are dead letters that name the field', (name, value) => {
    expect(() => parse({ [name]: value })).toThrow(expect.objectContaining({ name: 'ContractViolation' }))
    expect(() => parse({ [name]: value })).toThrow(new RegExp(`^/data/${name}`))
  })

  it('with a version that cannot be held exactly are dead letters that name the range', () => {
    expect(parse({ version: Number.MAX_SAFE_INTEGER }).version).toBe(9007199254740991)
    expect(() => parse({ version: 2 ** 53 })).toThrow(
      '/data/version must be an integer from -9007199254740991 to 9007199254740991',
    )
  })

  const rejectedInLine: [string, unknown[]][] = [
    ['room_id', [1, {}, 'rm_1\0', '\0', 'rm_\ud83d', '\udc00rm_1']],
    ['rate_plan_id', [1, [], 'rp_1\0', 'rp_\ud83d', '\udc00']],
    ['quantity', [undefined, null, '0', 1.5]],
    ['adults', [undefined, null, '2', -1]],
    ['children', ['0', 0.5]],
    ['beds', ['1']],
    ['is_dorm', ['no', 0]],
    ['room_type', texts],
  ]
  const lineCases = rejectedInLine.flatMap(([name, values]) => values.map((value) => [name, value] as const))

  it.each(lineCases)('with %s = %p in a line are dead letters that name the field', (name, value) => {
    expect(() => parseLine({ [name]: value })).toThrow(`/data/accommodation/0/${name}`)
  })

  it.each(['first_name', 'last_name', 'full_name', 'email', 'phone'])(
    'with a guest.%s of another type are too',
    (name) => {
      expect(() => parse({ guest: { [name]: 1 } })).toThrow(`/data/guest/${name}`)
    },
  )

  it.each<[string, Fields]>([
    ['an unknown room', { accommodation: [{ ...line, room_id: 'unheard of' }] }],
    ['an empty room id', { accommodation: [{ ...line, room_id: '' }] }],
    ['a room id with an emoji', { accommodation: [{ ...line, room_id: 'rm_😀' }] }],
    ['no room', { accommodation: [{ ...line, room_id: null }] }],
    ['no lines', { accommodation: [] }],
    ['a quantity below one', { accommodation: [{ ...line, quantity: -1 }] }],
    ['a departure before the arrival', { check_out: '2026-11-01' }],
    ['an unknown currency', { currency: 'eur' }],
  ])('with %s pass: the feed shows them as problems', (_name, given) => {
    expect(parse(given)).toMatchObject(given)
  })

  it('take the status from the data, with any type of the envelope', () => {
    const event = { type: 'booking.cancelled', data: { ...least, status: 'pending' } }
    expect(parseBookingEvent(bytes(event)).booking.status).toBe('pending')
  })

  it('keep texts as given but for NUL and lone surrogates', () => {
    const name = 'אדה 😀 ' + 'x'.repeat(300)
    const { guest, special_requests } = parse({ guest: { full_name: name }, special_requests: 'a\0b\ud83dc' })
    expect([guest.full_name, special_requests]).toEqual([name, 'abc'])
  })

  it('keep the digits of amounts and bring timestamps to UTC', () => {
    expect(parse({ total_amount: '412.50', paid_amount: '-0.0001' })).toMatchObject({
      total_amount: '412.50',
      paid_amount: '-0.0001',
    })
    expect(parse({ created_at: '2026-12-01T10:00:00+02:00' }).created_at).toBe('2026-12-01T08:00:00.000Z')
  })

  it.each([
    ['2026-11-01T10:00:00.123456Z', '2026-11-01T10:00:00.123Z'],
    ['2026-11-01T10:00:00.123999999Z', '2026-11-01T10:00:00.123Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
  ])('cut the creation time %s down to milliseconds', (given, kept) => {
    expect(parse({ created_at: given }).created_at).toBe(kept)
  })
})

describe('a message of any content', () => {
  const outcome = (value: Uint8Array): unknown => {
    try {
      return parseBookingEvent(value)
    } catch (error) {
      if (!(error instanceof ContractViolation)) throw error
      return error
    }
  }

  it('is read or breaks the contract, nothing else', () => {
    fc.assert(fc.property(fc.uint8Array(), (value) => void outcome(value)))
    fc.assert(fc.property(fc.jsonValue(), (data) => void outcome(bytes({ data }))))
    const field = fc.constantFrom(...Object.keys(least), 'guest', 'total_amount', 'created_at', '__proto__')
    const mutated = fc.property(field, fc.jsonValue(), (name, value) => {
      void outcome(bytes({ data: { ...least, [name]: value } }))
      void outcome(bytes({ data: { ...least, accommodation: [{ ...line, [name]: value }] } }))
    })
    fc.assert(mutated, { numRuns: 1_000 })
  })

  it('never has a field copied that the contract does not name', () => {
    const shape = JSON.stringify(shapeOf(parse({ guest: {} })))
    const extra = fc.dictionary(
      fc.string().map((name) => `x_${name}`),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(extra, extra, extra, (data, guest, inLine) => {
        const booking = parse({ ...data, guest, accommodation: [{ ...line, ...inLine }] })
        expect(JSON.stringify(shapeOf(booking))).toBe(shape)
      }),
    )
  })
})

/** Names of the fields at every depth. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (typeof value !== 'object' || value === null) return null
  return Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)])
}
