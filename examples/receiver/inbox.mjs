// What a receiver does with events: each once, and nothing older than what it knows.

/** In memory here; a receiver of yours keeps both in its database, in the transaction that applies the event. */
export class Inbox {
  #seen = new Set()
  #latest = new Map()

  /** @returns {'processed' | 'repeated' | 'outdated'} what became of the event */
  take({ event_id: id, reservation_id: reservation, sequence }) {
    if (this.#seen.has(id)) return 'repeated'
    this.#seen.add(id)
    if (sequence <= (this.#latest.get(reservation) ?? 0)) return 'outdated'
    this.#latest.set(reservation, sequence)
    return 'processed'
  }
}
