// Derives from the source what a partner must have in the end (api.md §6): the latest version of every booking of which
// some version was confirmed; a version lower than or equal to an earlier one is ignored.
import { UNKNOWN_ROOM } from '../history/property.mjs'

function versionIn(text) {
  try {
    const { reservation_id, version } = JSON.parse(text).data
    return typeof reservation_id === 'string' && Number.isInteger(version) ? JSON.parse(text).data : undefined
  } catch {
    return undefined
  }
}

const isNewer = (version, known) => !known || version.version > known.version

const stateAfter = ({ property_id, reservation_id, version, status, accommodation }, known) => ({
  property: property_id,
  id: reservation_id,
  version,
  status,
  rooms: accommodation.map(({ room_id }) => room_id),
  isProblem: accommodation.some(({ room_id }) => room_id === UNKNOWN_ROOM),
  wasConfirmed: status === 'confirmed' || known?.wasConfirmed === true,
})

/**
 * @param {{ partition: number, offset: string, text: string }[]} source in the order of each partition
 * @returns {{ bookings: object[], poison: string[] }} bookings that must be visible; `partition/offset` of messages
 *   that are no bookings
 */
export function expectedOf(source) {
  const latest = new Map()
  const poison = []
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
