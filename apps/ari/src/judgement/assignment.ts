/** Restrictions in nights; null in a cell where none is set. */
export const stayFields = ['min_stay_arrival', 'min_stay_through', 'max_stay'] as const
/** Boolean restrictions; null in a cell where none is set. */
export const flagFields = ['closed_to_arrival', 'closed_to_departure', 'stop_sell'] as const
/** A restriction in nights. */
type StayField = (typeof stayFields)[number]
/** Every restriction of a cell. */
type RestrictionField = StayField | (typeof flagFields)[number]
/** Everything that an update can give to a cell. */
export type CellField = 'availability' | 'amount' | RestrictionField

/** Occupancy of a price for the whole room, and of every field that is not a price. */
export const ANY_OCCUPANCY = 0

/** One value that an update gives to one field of each of its cells. */
export interface Assignment {
  field: CellField
  occupancy: number
  /** null clears the field; amounts are texts with exactly the decimals of their currency. */
  value: number | string | boolean | null
  /** JSON pointer of the value in the body. */
  pointer: string
}
