import { booking, bookingLine } from '@connectivity/testing/events'
import type { ConnectionView } from './connection-view.js'
import { bodyOf, renderRow, sameContent } from './rendered-row.js'

const view: ConnectionView = {
  connectionId: 'con_1',
  externalPropertyId: 'PMS-100',
  rooms: new Map([
    ['rm_double', { externalId: 'DBL', isDorm: false }],
    ['rm_dorm', { externalId: null, isDorm: true }],
  ]),
  ratePlans: new Map([['rp_flex', 'FLEX']]),
}
const stamp = '2026-11-20T10:15:30.123Z'
const render = (given: Parameters<typeof booking>[0], kept: ReturnType<typeof booking> | null = null) => {
  const row = renderRow({ booking: booking(given), kept }, view)
  return { ...row, body: bodyOf(row, stamp) }
}

describe('a reservation', () => {
  it('has exactly the fields of the interface in their order, with money as given', () => {
    expect(render({ total_amount: '412.50', paid_amount: null }).body).toBe(
      '{"reservation_id":"RSV-1001","property_id":"con_1","external_property_id":"PMS-100","check_in":"2026-12-01","check_out":"2026-12-05",' +
        '"status":"confirmed","cancelled":false,"updated_at":"2026-11-20T10:15:30.123Z","created_at":"2026-11-20T10:00:00.000Z","guest_count":2,' +
        '"guest":{"first_name":"Ada","last_name":"Lovelace","full_name":null,"email":"ada@example.com","phone":null},"currency":"EUR",' +
        '"total_amount":412.50,"paid_amount":null,"accommodation":[{"external_room_id":"DBL","external_rate_plan_id":"FLEX","rate_plan_name":"Flexible",' +
        '"quantity":1,"beds":null,"bed_type":null,"room_number":null,"room_type":"Double","is_dorm":false,"occupancy":{"adults":2,"children":0}}],"special_requests":null}',
    )
  })

  it('shows unmapped and unknown rate plans as null and takes dorm from the catalog when the booking does not say', () => {
    const line = bookingLine({ room_id: 'rm_dorm', rate_plan_id: 'rp_gone', is_dorm: null })
    expect(JSON.parse(render({ accommodation: [line] }).body).accommodation[0]).toMatchObject({
      external_room_id: null,
      external_rate_plan_id: null,
      is_dorm: true,
    })
  })

  it('has the same content with any stamp, and another when a byte differs', () => {
    const row = renderRow({ booking: booking(), kept: null }, view)
    expect(sameContent(row, bodyOf(row, '2020-02-02T02:02:02.222Z'))).toBe(true)
    expect(
      sameContent(row, bodyOf(renderRow({ booking: booking({ total_amount: '412.5' }), kept: null }, view), stamp)),
    ).toBe(false)
    expect(
      sameContent(row, bodyOf(renderRow({ booking: booking({ special_requests: '"' }), kept: null }, view), stamp)),
    ).toBe(false)
  })
})

describe('an invalid booking', () => {
  it.each([
    ['room_unknown', '/accommodation/0/external_room_id', { accommodation: [bookingLine({ room_id: 'rm_gone' })] }],
    ['room_unknown', '/accommodation/0/external_room_id', { accommodation: [bookingLine({ room_id: null })] }],
    ['no_accommodation', '/accommodation', { accommodation: [] }],
    [
      'quantity_below_one',
      '/accommodation/1/quantity',
      { accommodation: [bookingLine(), bookingLine({ quantity: 0 })] },
    ],
    ['check_out_not_after_check_in', '/check_out', { check_out: '2026-12-01' }],
    ['currency_unknown', '/currency', { currency: 'eur' }],
    ['currency_unknown', '/currency', { currency: 'XQQ' }],
  ])('is a problem row: %s at %s', (code, pointer, given) => {
    const row = render(given)
    expect(row.kind).toBe('problem')
    expect(JSON.parse(row.body)).toEqual({
      code: 'accommodation_unresolved',
      reservation_id: 'RSV-1001',
      updated_at: stamp,
      message: expect.stringContaining('RSV-1001'),
      correlation_id: expect.stringMatching(/^[A-Za-z0-9._-]{8,64}$/),
      details: [{ pointer, code }],
    })
    expect(row.body).not.toContain('rm_gone')
    expect(render(given).body).toBe(row.body)
  })

  it('still shows its cancellation, with the last good lines', () => {
    const faulty = { status: 'cancelled' as const, accommodation: [], special_requests: 'late' }
    expect(render(faulty).kind).toBe('problem')
    const shown = render(faulty, booking())
    expect(shown.kind).toBe('reservation')
    expect(JSON.parse(shown.body)).toMatchObject({
      status: 'cancelled',
      cancelled: true,
      special_requests: 'late',
      accommodation: [{ external_room_id: 'DBL' }],
    })
  })

  it('shows what is good in the cancellation beside the last good lines', () => {
    const given = { total_amount: '50', paid_amount: '0', check_in: '2026-12-03', check_out: '2026-12-09' }
    const shown = render({ ...given, status: 'cancelled', accommodation: [] }, booking())
    const { accommodation, ...rest } = JSON.parse(shown.body)
    expect(rest).toMatchObject({ ...given, total_amount: 50, paid_amount: 0 })
    expect(accommodation).toMatchObject([{ external_room_id: 'DBL' }])
  })

  it('keeps both dates if one is faulty', () => {
    const given = { check_in: '2026-12-09', check_out: '2026-12-08', total_amount: '50' }
    const shown = JSON.parse(render({ ...given, status: 'cancelled' }, booking()).body)
    expect(shown).toMatchObject({ check_in: booking().check_in, check_out: booking().check_out, total_amount: 50 })
  })

  it('keeps money together with its currency', () => {
    const shown = render({ status: 'cancelled', currency: 'zzz', total_amount: '1' }, booking())
    expect(JSON.parse(shown.body)).toMatchObject({ currency: 'EUR', total_amount: 412.5 })
  })

  it('is not shown unless it is cancelled, even if earlier lines were good', () => {
    expect(render({ accommodation: [] }, booking()).kind).toBe('problem')
  })
})
