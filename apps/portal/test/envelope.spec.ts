import { readEvents } from '../src/connection/envelope.ts'

const event = '{"event_id":"evt_1","data":{"total_amount":12345678901234567.1234,"paid_amount":412.50,"guest_count":2}'
const index = '"delivery":{"state":"pending","attempts":3},"acknowledgement":null}'

describe('a page of the event index', () => {
  const { events, pagination } = readEvents(`{"events":[${event},${index}],"pagination":{"next_cursor":"c1"}}`)

  it('has the envelope of an event with all digits of its amounts, and without what the index adds', () => {
    expect(events[0]!.envelope.replaceAll(/\s/g, '')).toBe(`${event}}`)
  })

  it('has the fields that a table shows', () => {
    expect(events[0]).toMatchObject({ event_id: 'evt_1', delivery: { state: 'pending', attempts: 3 } })
    expect(pagination.next_cursor).toBe('c1')
  })
})
