import type { Booking, BookingLine } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'

/** What a partner should see of a booking: the reservation without its stamp, or what is wrong with it. */
export type Expected = { reservation: object } | { problem: string[] }

interface KnownBooking {
  latest: Booking
  confirmed: boolean
  /** Last good visible snapshot. */
  lastGood: Booking | null
}

const KNOWN_CURRENCIES = new Set(['EUR', 'JPY'])

/** Pointer and code of every fault; rooms are judged by the catalog, if there is one. */
function faults(booking: Booking, catalog: ConnectionCatalog | null): string[] {
  const lineFaults = booking.accommodation.flatMap(({ room_id, quantity }, index) => {
    const at = `/accommodation/${index}`
    const known = room_id !== null && (!catalog || catalog.rooms.some(({ service_id }) => service_id === room_id))
    return [
      ...(known ? [] : [`${at}/external_room_id room_unknown`]),
      ...(quantity >= 1 ? [] : [`${at}/quantity quantity_below_one`]),
    ]
  })
  return [
    ...(booking.check_out > booking.check_in ? [] : ['/check_out check_out_not_after_check_in']),
    ...(KNOWN_CURRENCIES.has(booking.currency) ? [] : ['/currency currency_unknown']),
    ...(booking.accommodation.length > 0 ? [] : ['/accommodation no_accommodation']),
    ...lineFaults,
  ]
}

function shownLine(line: BookingLine, catalog: ConnectionCatalog): object {
  const room = catalog.rooms.find(({ service_id }) => service_id === line.room_id)!
  const plan = catalog.rate_plans.find(({ service_id }) => service_id === line.rate_plan_id)
  const { rate_plan_name, quantity, beds, bed_type, room_number, room_type, adults, children } = line
  return {
    external_room_id: room.external_id,
    external_rate_plan_id: plan ? plan.external_id : null,
    ...{ rate_plan_name, quantity, beds, bed_type, room_number, room_type },
    is_dorm: line.is_dorm ?? room.kind === 'dorm',
    occupancy: { adults, children },
  }
}

function shown(booking: Booking, catalog: ConnectionCatalog): object {
  const { reservation_id, status, created_at, guest_count, guest, special_requests } = booking
  const { check_in, check_out, currency, total_amount, paid_amount, accommodation } = booking
  return {
    ...{ reservation_id, property_id: catalog.connection_id, external_property_id: catalog.external_property_id },
    ...{ check_in, check_out, status, cancelled: status === 'cancelled', created_at, guest_count, guest, currency },
    total_amount: total_amount === null ? null : Number(total_amount),
    paid_amount: paid_amount === null ? null : Number(paid_amount),
    accommodation: accommodation.map((line) => shownLine(line, catalog)),
    special_requests,
  }
}

/** Expected content of the feeds, as plainly as possible: no batches, no stamps, no SQL. */
export class FeedModel {
  private readonly bookings = new Map<string, KnownBooking>()
  private readonly catalogs = new Map<string, ConnectionCatalog>()
  readonly closed = new Set<string>()

  close(connectionId: string): void {
    this.closed.add(connectionId)
  }

  takeCatalog(catalog: ConnectionCatalog): void {
    const known = this.catalogs.get(catalog.connection_id)
    if (this.closed.has(catalog.connection_id)) return
    if (!known || known.catalog_version < catalog.catalog_version) this.catalogs.set(catalog.connection_id, catalog)
  }

  takeBooking(booking: Booking): void {
    const key = `${booking.property_id} ${booking.reservation_id}`
    const before = this.bookings.get(key)
    if (before && before.latest.version >= booking.version) return
    const confirmed = booking.status === 'confirmed' || before?.confirmed === true
    const lastGood = before && !this.makesSense(booking) ? this.lastGoodOf(before) : null
    this.bookings.set(key, { latest: booking, confirmed, lastGood })
  }

  private lastGoodOf({ latest, confirmed, lastGood }: KnownBooking): Booking | null {
    return confirmed && this.makesSense(latest) ? latest : lastGood
  }

  /** Whether this connection has a feed: its catalog has arrived. */
  isOpen(connectionId: string): boolean {
    return this.catalogs.has(connectionId) && !this.closed.has(connectionId)
  }

  /** By reservation id. */
  feedOf(connectionId: string): Map<string, Expected> {
    const catalog = this.catalogs.get(connectionId)
    if (!catalog) return new Map()
    const visible = [...this.bookings.values()].filter(
      ({ latest, confirmed }) => confirmed && latest.property_id === catalog.property_id,
    )
    return new Map(visible.map((known) => [known.latest.reservation_id, expected(known, catalog)]))
  }

  private makesSense(booking: Booking): boolean {
    const views = [...this.catalogs.values()].filter(
      (catalog) => catalog.property_id === booking.property_id && !this.closed.has(catalog.connection_id),
    )
    return (views.length === 0 ? [null] : views).some((catalog) => faults(booking, catalog).length === 0)
  }
}

/** The booking with the last good lines, dates or money instead of faulty ones. */
function withLastGood(latest: Booking, lastGood: Booking, problem: readonly string[]): Booking {
  const { check_in, check_out, currency, total_amount, paid_amount, accommodation } = lastGood
  const booking = { ...latest }
  for (const fault of problem) {
    if (fault.startsWith('/accommodation')) booking.accommodation = accommodation
    if (fault.startsWith('/check_out')) Object.assign(booking, { check_in, check_out })
    if (fault.startsWith('/currency')) Object.assign(booking, { currency, total_amount, paid_amount })
  }
  return booking
}

function expected({ latest, lastGood }: KnownBooking, catalog: ConnectionCatalog): Expected {
  const problem = faults(latest, catalog)
  if (problem.length === 0) return { reservation: shown(latest, catalog) }
  if (latest.status === 'cancelled' && lastGood && faults(lastGood, catalog).length === 0) {
    return { reservation: shown(withLastGood(latest, lastGood, problem), catalog) }
  }
  return { problem }
}
