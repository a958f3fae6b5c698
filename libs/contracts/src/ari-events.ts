import type { DayOfWeek, Restrictions } from './ari.js'

/**
 * `connectivity.ari-updates.v1`, written by ARI, read by the booking engine: what one call of a partner changed.
 * Keyed by property id, one message after the other in the order of `ari_revision`, which has no gaps. A revision that
 * does not fit into one message comes in `parts` consecutive messages. A message may be delivered again: readers skip
 * (property_id, ari_revision, part) that they have seen.
 */
export interface AriUpdated {
  /** The booking engine's property id. */
  property_id: string
  /** The connection that made the call. */
  connection_id: string
  ari_revision: number
  applied_at: string
  /** Number of this part, from 1 to `parts`. */
  part: number
  parts: number
  /** Currency that the call names, and of every amount in `updates`; null when it names none. */
  currency: string | null
  updates: AppliedUpdate[]
}

/** One update of the call with the service's own ids and its range of days. Absent: unchanged; null: cleared. */
export interface AppliedUpdate {
  room_id: string
  rate_plan_id?: string
  date_from: string
  /** Inclusive. */
  date_to: string
  days_of_week?: DayOfWeek[]
  availability?: number
  /** Amounts with exactly the decimals of the currency. */
  rates?: { occupancy?: number; amount: string }[]
  restrictions?: Partial<Restrictions>
}

/** CloudEvents type of an `AriUpdated`. */
export const ariEventType = 'connectivity.ari.updated'
