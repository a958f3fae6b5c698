/** The part of a connection's head row that decides the next stamp; read under the head lock. */
export interface StampHead {
  state: 'filling' | 'live'
  /** Last assigned stamp, ms since the epoch; 0 when there is none yet. */
  lastStamp: number
  /** Start of a filling connection: far enough in the past that its stamps never lead the clock. */
  fillFloor: number
  /** Database clock, ms. */
  clock: number
}

/**
 * The next stamp of a connection: strictly greater than every earlier one. The head lock is held to the commit, so
 * commit order is stamp order and no poller can skip a row. While a connection is being filled, every writer counts up
 * from the past.
 */
export const nextStamp = ({ state, lastStamp, fillFloor, clock }: StampHead): number =>
  state === 'filling' ? Math.max(lastStamp, fillFloor) + 1 : Math.max(clock, lastStamp + 1)

/** Time in the past reserved for changes during the fill, ms, in addition to one millisecond for each row. */
const FILL_MARGIN = 1_000

/** First stamp for filling a connection with this many bookings. */
export const fillFloor = (lastStamp: number, clock: number, bookings: number): number =>
  Math.max(lastStamp, clock - bookings - FILL_MARGIN)
