// Processes each event once and skips events older than the latest one of their reservation.

/** Kept in memory here. Keep both in your database instead, updated in the transaction that applies the event. */
export class Inbox {
  #seen = new Set()
  #latest = new Map()

  /** @returns {'processed' | 'repeated' | 'outdated'} what happened to the event */
  take({ event_id: id, reservation_id: reservation, sequence }) {
    if (this.#seen.has(id)) return 'repeated'
    this.#seen.add(id)
    if (sequence <= (this.#latest.get(reservation) ?? 0)) return 'outdated'
    this.#latest.set(reservation, sequence)
    return 'processed'
  }
}
