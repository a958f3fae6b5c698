import type { CalendarDay, Timestamp } from './field-types.js'

/**
 * `connectivity.delivery-risks.v1`, written by the feed, read by the booking engine: a partner has not fetched
 * reservations that it needs soon, or has fetched them since. One message for each change between these two states, not
 * for each reservation. Keyed by the booking engine's property id.
 */
export interface DeliveryRisk {
  /** The booking engine's property id. */
  property_id: string
  connection_id: string
  /** Rows of the feed that the partner has not fetched, counted up to 10,000. */
  waiting: number
  /** Reservations at risk among the 100,000 oldest waiting rows; 0 when recovered. */
  at_risk: number
  /** Stamp of the row that waits the longest; null when recovered. */
  oldest_waiting_at: Timestamp | null
  /** Earliest arrival of the reservations at risk; null if none has an arrival date, and when recovered. */
  earliest_check_in: CalendarDay | null
}

/** CloudEvents types of a `DeliveryRisk`. */
export const deliveryRiskTypes = {
  atRisk: 'connectivity.delivery.at_risk',
  recovered: 'connectivity.delivery.recovered',
} as const
