// The day that the model assumes for one connection of a property. These are assumptions, not measurements: change them
// here and run `npm run capacity`.

/** Load of one connection in a day, and its peak. */
export interface Day {
  /** Bookings made, changed or cancelled. */
  changes: number
  /** Requests for changes, one a minute; those that find one get a page. */
  polls: number
  /** Calls that write availability, rates and restrictions. */
  ariCalls: number
  /** Days × rooms × rate plans that such a call writes. */
  cellsPerCall: number
  /** Share of the connections that have a callback; each of their changes is a delivery. */
  callbacks: number
  /** Share of the connections with a request that waits for a change, at any moment. */
  waiting: number
  /** Reservations in a feed, all of which a digest reads, once a day. */
  rows: number
  /** Ratio of the rate in the busiest minutes to its mean. Polls are steady. */
  peak: number
}

export const day: Day = {
  changes: 30,
  polls: 1_440,
  ariCalls: 200,
  cellsPerCall: 30,
  callbacks: 0.5,
  waiting: 0.05,
  rows: 2_000,
  peak: 4,
}

/** Numbers of connections that the page shows. */
export const sizes: readonly number[] = [1_000, 30_000, 1_000_000]
