import { cloudEventText } from './cloud-event.js'
import { parseReservationEvent } from './reservation-events.js'

const body =
  '{"schema_version":"1.0.0","event_id":"evt_1","type":"reservation.created","property_id":"con_1",' +
  '"external_property_id":"PMS-100","sequence":7,"occurred_at":"2026-11-20T10:00:00.000Z","reservation_id":"RSV-1",' +
  '"data":{"reservation":{"total_amount":412.50,"special_requests":",\\"data\\":}"},"previous_status":null,"changes":[]}}'
const head = { id: 'evt_1', source: '/reservation-feed', type: 'reservation.created', subject: 'RSV-1', time: 'now' }
const parse = (text: string) => parseReservationEvent(Buffer.from(text))

describe('a reservation event', () => {
  it('is read with its ids and keeps its own bytes', () => {
    expect(parse(cloudEventText(head, body))).toEqual({
      eventId: 'evt_1',
      type: 'reservation.created',
      connectionId: 'con_1',
      reservationId: 'RSV-1',
      sequence: 7,
      occurredAt: '2026-11-20T10:00:00.000Z',
      body,
    })
  })

  it('keeps its digits however the envelope is written', () => {
    const spaced = `{ "specversion": "1.0", "data": ${body}, "time": "now" }\n`
    expect(parse(spaced).body).toBe(body)
    expect(parse(`{"x":{"y":1,"data":{}},"data":${body}}`).body).toBe(body)
    expect(parse(`{"subject":",\\"data\\":{}","data":${body}}`).body).toBe(body)
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{"data":'],
    ['another specversion', `{"specversion":"0.3","data":${body}}`],
    ['no data', '{"specversion":"1.0"}'],
    ['more behind the end', `${cloudEventText(head, body)}x`],
    ['an unknown type', cloudEventText(head, body.replace('.created', '.moved'))],
    ['no reservation', cloudEventText(head, body.replace('"reservation":', '"room":'))],
    ['a sequence that is no integer', cloudEventText(head, body.replace('7', '"7"'))],
  ])('is refused when it is %s', (_what, text) => {
    expect(() => parse(text)).toThrow(expect.objectContaining({ name: 'ContractViolation' }))
  })
})
