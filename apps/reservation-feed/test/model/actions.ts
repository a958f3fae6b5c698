import { catalog, catalogRoom } from '@connectivity/testing/catalog'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import { booking, bookingLine } from '@connectivity/testing/events'
import fc from 'fast-check'

/** Two properties with two connections each. */
export const CONNECTIONS = [0, 1, 2, 3]
export const propertyOf = (run: string, connection: number): string => `prop_${run}_${connection >> 1}`
export const connectionOf = (run: string, connection: number): string => `con_${run}_${connection}`

/** One version of a booking, as generated. */
export interface DrawnBooking {
  property: number
  reservation: number
  version: number
  status: Booking['status']
  guests: number
  room: string | null
  plan: string | null
  quantity: number
  lines: number
  currency: string
  nights: number
  note: string | null
}

/** A catalog as generated; its version is assigned when it happens. */
export interface DrawnCatalog {
  connection: number
  /** How many versions it is late; 0 is the newest. */
  late: number
  double: string | null
  flex: string | null
  code: string
}

export type Action =
  | { do: 'book'; bookings: DrawnBooking[]; crash: boolean }
  | { do: 'catalog'; catalogs: DrawnCatalog[] }
  | { do: 'connect'; connection: number; state: ConnectionState; late: boolean }
  | { do: 'newRoom'; property: number }
  | { do: 'redeliver'; connection: number; reservations: number[] | null }
  | { do: 'poll'; connection: number }
  | { do: 'restart' }
  | { do: 'replay'; size: number }

const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 8, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) })
const connection = fc.constantFrom(...CONNECTIONS)

const drawnBooking: fc.Arbitrary<DrawnBooking> = fc.record({
  property: fc.constantFrom(0, 1),
  reservation: fc.nat({ max: 2 }),
  version: fc.integer({ min: 1, max: 30 }),
  status: fc.constantFrom('confirmed', 'confirmed', 'pending', 'cancelled'),
  guests: fc.integer({ min: 1, max: 3 }),
  room: mostly<string | null>('rm_double', 'rm_new', null),
  plan: mostly<string | null>('rp_flex', 'rp_gone', null),
  quantity: mostly(1, 0, 2),
  lines: mostly(1, 0, 2),
  currency: mostly('EUR', 'JPY', 'eur'),
  nights: mostly(2, 0),
  note: fc.constantFrom(null, 'late', '\u001e\u001f"\\', '","updated_at":"2026-01-01T00:00:00.000Z', '🛎️ עברית'),
})

const drawnCatalog: fc.Arbitrary<DrawnCatalog> = fc.record({
  connection,
  late: mostly(0, 1, 2),
  double: fc.constantFrom(null, 'D1', 'D2'),
  flex: fc.constantFrom(null, 'F1'),
  code: mostly('PMS-1', 'PMS-2'),
})

const of = <A extends Action>(weight: number, arbitrary: fc.Arbitrary<A>) => ({ weight, arbitrary })
const named = <D extends Action['do']>(name: D) => fc.constant(name)

/** What happens in one run, in order; new connections begin with whichever of their messages comes first. */
export const history: fc.Arbitrary<Action[]> = fc.array(
  fc.oneof(
    of(
      10,
      fc.record({
        do: named('book'),
        bookings: fc.array(drawnBooking, { minLength: 1, maxLength: 8 }),
        crash: mostly(false, true),
      }),
    ),
    of(5, fc.record({ do: named('catalog'), catalogs: fc.array(drawnCatalog, { minLength: 1, maxLength: 3 }) })),
    of(
      3,
      fc.record({
        do: named('connect'),
        connection,
        state: fc.constantFrom<ConnectionState[]>('pilot', 'disabled', 'production', 'closed'),
        late: mostly(false, true),
      }),
    ),
    of(1, fc.record({ do: named('newRoom'), property: fc.constantFrom(0, 1) })),
    of(
      2,
      fc.record({
        do: named('redeliver'),
        connection,
        reservations: fc.option(fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 4 })),
      }),
    ),
    of(6, fc.record({ do: named('poll'), connection })),
    of(1, fc.record({ do: named('restart') })),
    of(1, fc.record({ do: named('replay'), size: fc.integer({ min: 1, max: 7 }) })),
  ),
  { minLength: 10, maxLength: 45, size: 'max' },
)

/** The booking as the booking engine publishes it. */
export function bookingOf(run: string, drawn: DrawnBooking): Booking {
  const line = bookingLine({
    room_id: drawn.room,
    rate_plan_id: drawn.plan,
    quantity: drawn.quantity,
    room_type: drawn.note,
  })
  return booking({
    reservation_id: `R${drawn.reservation}`,
    property_id: `prop_${run}_${drawn.property}`,
    version: drawn.version,
    status: drawn.status,
    guest_count: drawn.guests,
    currency: drawn.currency,
    check_out: `2026-12-0${1 + drawn.nights}`,
    accommodation: Array.from({ length: drawn.lines }, () => line),
    special_requests: drawn.note,
  })
}

/** The catalog as the catalog service publishes it. */
export function catalogOf(run: string, drawn: DrawnCatalog, version: number, hasNewRoom: boolean): ConnectionCatalog {
  const [plan] = catalog().rate_plans
  return catalog({
    connection_id: connectionOf(run, drawn.connection),
    property_id: propertyOf(run, drawn.connection),
    external_property_id: drawn.code,
    catalog_version: version,
    rooms: [catalogRoom('rm_double', drawn.double), ...(hasNewRoom ? [catalogRoom('rm_new')] : [])],
    rate_plans: [{ ...plan!, external_id: drawn.flex }],
  })
}
