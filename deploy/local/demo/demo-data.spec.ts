import { parseBookingEvent } from '@connectivity/contracts/booking-events'
import { parsePropertyEvent } from '@connectivity/contracts/property-events'
import { bookingEvent, propertyEvent } from './booking-engine.ts'
import { cancelled, firstBookings, modified } from './bookings.ts'
import { properties } from './properties.ts'
import { draw, randomFrom } from './random.ts'

const asBytes = (event: object) => Buffer.from(JSON.stringify(event))

describe.each(properties)('the demo property $snapshot.property_id', (property) => {
  const histories = firstBookings(property, draw(randomFrom(1)))

  it('is a snapshot that the contract accepts, with a derived rate plan, in rooms that exist', () => {
    const { rooms, rate_plans } = parsePropertyEvent(asBytes(propertyEvent(property.snapshot)))
    const ids = rooms.map(({ room_id }) => room_id)
    for (const plan of rate_plans) expect(ids).toEqual(expect.arrayContaining(plan.room_ids))
    expect(rate_plans.some(({ derived_from }) => derived_from !== null)).toBe(true)
    expect(new Set(rooms.map(({ kind }) => kind))).toEqual(new Set(['private', 'dorm']))
  })

  it('has bookings that the contract accepts, each version higher than the one before', () => {
    expect(histories).toHaveLength(property.bookings)
    for (const versions of histories) {
      const parsed = versions.map((booking) => parseBookingEvent(asBytes(bookingEvent(booking))).booking)
      expect(parsed.map(({ version }) => version)).toEqual(parsed.map((_, index) => index + 1))
      for (const { check_in, check_out } of parsed) expect(check_out > check_in).toBe(true)
    }
  })

  it('has some changed and some cancelled bookings', () => {
    const latest = histories.map((versions) => versions.at(-1)!)
    expect(latest.filter(({ status }) => status === 'cancelled').length).toBeGreaterThan(3)
    expect(latest.filter(({ version, status }) => version > 1 && status === 'confirmed').length).toBeGreaterThan(3)
  })

  it('can change and cancel any of them', () => {
    const [[booking]] = histories as [[Parameters<typeof modified>[1]]]
    expect(bookingEvent(modified(property, booking))).toMatchObject({ type: 'booking.modified', data: { version: 2 } })
    expect(bookingEvent(cancelled(booking))).toMatchObject({ type: 'booking.cancelled', data: { version: 2 } })
  })
})
