/** One part of cells, day by day: a room's availability, a rate plan's terms in a room, or a price per occupancy. */
export interface SeriesKey {
  roomId: string
  /** null for the room itself. */
  ratePlanId: string | null
  occupancy: number
}

/** The numbers under which series are stored, by `seriesKeyText`. */
export type SeriesNumbers = ReadonlyMap<string, number>

/** Ids hold no unit separators (contracts: MessageFields.id). */
export const seriesKeyText = ({ roomId, ratePlanId, occupancy }: SeriesKey): string =>
  `${roomId}\x1f${ratePlanId ?? ''}\x1f${occupancy}`
