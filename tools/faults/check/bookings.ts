// Derives a partner's expected final state from the source: the latest version of every booking of which
// some version was confirmed; a version lower than or equal to an earlier one is ignored.
import type { Booking } from '@connectivity/contracts/booking-events'
import type { SourceMessage } from '../history/history-types.ts'
import { UNKNOWN_ROOM } from '../users/property.ts'

/** One version of a booking, as the topic has it. */
interface BookingVersion extends Pick<Booking, 'property_id' | 'reservation_id' | 'version' | 'status'> {
  accommodation: { room_id: string }[]
}

/** The latest version of a booking. */
export interface BookingState extends Pick<Booking, 'version' | 'status'> {
  property: string
  id: string
  rooms: string[]
  /** Whether one of its rooms is unknown. */
  isProblem: boolean
  /** Whether this version or an earlier one was confirmed. */
  wasConfirmed: boolean
}

/** The version in a message; undefined when it is not a booking. */
function versionIn(text: string): BookingVersion | undefined {
  try {
    const { data } = JSON.parse(text) as { data: BookingVersion }
    const { reservation_id, version } = data
    return typeof reservation_id === 'string' && Number.isInteger(version) ? data : undefined
  } catch {
    return undefined
  }
}

const isNewer = (version: BookingVersion, known?: BookingState): boolean => !known || version.version > known.version

const stateAfter = (
  { property_id, reservation_id, version, status, accommodation }: BookingVersion,
  known?: BookingState,
): BookingState => ({
  property: property_id,
  id: reservation_id,
  version,
  status,
  rooms: accommodation.map(({ room_id }) => room_id),
  isProblem: accommodation.some(({ room_id }) => room_id === UNKNOWN_ROOM),
  wasConfirmed: status === 'confirmed' || known?.wasConfirmed === true,
})

/** Expected results for a source. */
export interface Expected {
  /** Bookings that must be visible. */
  bookings: BookingState[]
  /** `partition/offset` of messages that are not bookings. */
  poison: string[]
}

/** @param source in the order of each partition */
export function expectedOf(source: readonly SourceMessage[]): Expected {
  const latest = new Map<string, BookingState>()
  const poison: string[] = []
  for (const { partition, offset, text } of source) {
    const version = versionIn(text)
    if (!version) {
      poison.push(`${partition}/${offset}`)
      continue
    }
    const key = `${version.property_id} ${version.reservation_id}`
    if (isNewer(version, latest.get(key))) latest.set(key, stateAfter(version, latest.get(key)))
  }
  return { bookings: [...latest.values()].filter(({ wasConfirmed }) => wasConfirmed), poison }
}
