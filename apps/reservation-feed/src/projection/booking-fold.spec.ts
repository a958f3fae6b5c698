import type { Booking } from '@connectivity/contracts/booking-events'
import { booking } from '@connectivity/testing/events'
import fc from 'fast-check'
import { type BookingRecord, foldBooking, type StoredBooking } from './booking-fold.js'

const isGood = ({ accommodation }: Booking) => accommodation.length > 0
const versions = fc.array(
  fc.record({
    version: fc.integer({ min: 1, max: 6 }),
    status: fc.constantFrom('pending' as const, 'confirmed' as const, 'cancelled' as const),
    faulty: fc.boolean(),
  }),
  { maxLength: 12 },
)

const stored = (record: BookingRecord | null): StoredBooking | undefined =>
  record
    ? {
        version: record.booking.version,
        confirmed: record.confirmed,
        snapshots: { booking: record.booking, kept: record.kept },
      }
    : undefined

describe('folding the versions of a booking', () => {
  it('gives the same result however the messages fall into batches', () => {
    fc.assert(
      fc.property(versions, fc.array(fc.nat({ max: 12 })), (drawn, cuts) => {
        const history = drawn.map(({ version, status, faulty }, index) => ({
          booking: booking({
            version,
            status,
            special_requests: String(index),
            ...(faulty ? { accommodation: [] } : {}),
          }),
          offset: BigInt(index),
          time: null,
        }))
        const whole = foldBooking(undefined, history, isGood)
        let state: BookingRecord | null = null
        const edges = [0, ...cuts.filter((cut) => cut <= history.length).sort((a, b) => a - b), history.length]
        for (const [index, from] of edges.entries()) {
          state = foldBooking(stored(state), history.slice(from, edges[index + 1] ?? history.length), isGood) ?? state
        }
        // The state before the last batch differs, the result does not.
        expect(state && { ...state, replaces: null }).toEqual(whole)
      }),
    )
  })

  it('ignores every version that is not newer', () => {
    const one = { booking: booking({ version: 3 }), offset: 1n, time: null }
    expect(foldBooking({ version: 3, confirmed: true }, [one], isGood)).toBeNull()
  })

  it('never lets a late lower version confirm a booking', () => {
    const history = [
      { booking: booking({ version: 3, status: 'pending' }), offset: 1n, time: null },
      { booking: booking({ version: 2, status: 'confirmed' }), offset: 2n, time: null },
    ]
    expect(foldBooking(undefined, history, isGood)).toMatchObject({ confirmed: false, booking: { version: 3 } })
  })

  it('keeps the last good visible snapshot through a run of faulty ones', () => {
    const history = [
      { booking: booking({ version: 1 }), offset: 1n, time: null },
      { booking: booking({ version: 2, accommodation: [] }), offset: 2n, time: null },
      { booking: booking({ version: 3, status: 'cancelled', accommodation: [] }), offset: 3n, time: null },
    ]
    expect(foldBooking(undefined, history, isGood)).toMatchObject({ kept: { version: 1 }, booking: { version: 3 } })
  })
})
