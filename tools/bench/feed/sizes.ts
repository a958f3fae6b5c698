/** Amounts of work, from the options on the command line. */
export interface Sizes {
  /** Booking events that are projected. */
  events: number
  /** Duration of a steady load, s. */
  seconds: number
  /** Rows of the feeds, ascending. */
  rows: number[]
  /** Bookings of the property that is connected. */
  bookings: number
}
