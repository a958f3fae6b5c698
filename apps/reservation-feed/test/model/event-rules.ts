import type { SentEvent } from '../feed-in-process.js'

type Shown = SentEvent['data']['reservation']

const content = (reservation: Shown): Record<string, unknown> => ({ ...reservation, updated_at: undefined })

const differing = (before: Shown, now: Shown): string[] => {
  const [old, current] = [content(before), content(now)]
  return Object.keys(current).filter((name) => JSON.stringify(current[name]) !== JSON.stringify(old[name]))
}

/**
 * Checks one connection's events against the rules of the interface, using only the events themselves.
 * @param redelivered number of reservations that operators had delivered again: as many events may have no changes
 * @returns the reservation as last published, by id
 */
export function checkEvents(events: readonly SentEvent[], redelivered: number): Map<string, Shown> {
  const told = new Map<string, Shown>()
  let withoutChanges = 0
  for (const [index, { type, sequence, reservation_id, data }] of events.entries()) {
    const { reservation, previous_status, changes } = data
    expect(sequence).toBe(index + 1)
    if (index > 0) expect(reservation.updated_at > events[index - 1]!.data.reservation.updated_at).toBe(true)
    const before = told.get(reservation_id)
    const cancelled = reservation.status === 'cancelled'
    if (!before) {
      const first = cancelled ? 'reservation.cancelled' : 'reservation.created'
      expect({ type, previous_status, changes }).toEqual({ type: first, previous_status: null, changes: [] })
    } else {
      const isCancellation = cancelled && before.status !== 'cancelled'
      expect(type).toBe(isCancellation ? 'reservation.cancelled' : 'reservation.modified')
      expect(previous_status).toBe(before.status)
      expect(changes).toEqual(differing(before, reservation))
      if (changes.length === 0) withoutChanges += 1
    }
    told.set(reservation_id, reservation)
  }
  expect(withoutChanges).toBeLessThanOrEqual(redelivered)
  return told
}
