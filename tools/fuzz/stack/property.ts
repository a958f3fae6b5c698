// The property of a lane, as the booking engine publishes it.
import { publish } from '../../../deploy/local/demo/booking-engine.ts'
import {
  cancelled,
  type DemoBooking,
  firstBookings,
  modified,
  newBooking,
} from '../../../deploy/local/demo/bookings.ts'
import { type DemoProperty, properties } from '../../../deploy/local/demo/properties.ts'
import { draw, randomFrom } from '../../../deploy/local/demo/random.ts'

/** Bookings of a lane's property: every change of a mapping delivers them again. */
const BOOKINGS = 20
const SEED = 1

/** The first demo property under another id, with fewer bookings. */
export class Property {
  readonly id: string
  readonly bookings = BOOKINGS
  readonly snapshot: DemoProperty['snapshot']
  private readonly brokers: string[]
  private readonly drawn = draw(randomFrom(SEED))
  private readonly latest: DemoBooking[] = []

  constructor(lane: string, brokers: string[]) {
    this.id = `prop_fuzz_${lane}`
    this.snapshot = { ...properties[0]!.snapshot, property_id: this.id }
    this.brokers = brokers
  }

  publishCatalog(): Promise<void> {
    return publish(this.brokers, { properties: [this.snapshot] })
  }

  async publishBookings(): Promise<void> {
    const histories = firstBookings(this.whole(), this.drawn)
    this.latest.push(...histories.map((versions) => versions.at(-1)!))
    await publish(this.brokers, { bookings: histories.flat() })
  }

  /** Publishes one more booking, a change, and a cancellation. */
  async publishChanges(): Promise<void> {
    const { firstReservation } = properties[0]!
    const [first, second] = this.latest.filter(({ status }) => status === 'confirmed')
    const fresh = newBooking(this.whole(), `RSV-${firstReservation + BOOKINGS}`, new Date(), this.drawn)
    await publish(this.brokers, { bookings: [fresh, modified(this.whole(), first!), cancelled(second!)] })
  }

  private whole(): DemoProperty {
    return { ...properties[0]!, bookings: BOOKINGS, snapshot: this.snapshot }
  }
}
