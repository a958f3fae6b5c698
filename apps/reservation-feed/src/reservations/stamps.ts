/** The part of a connection's head row that decides the next stamp; read under the head lock. */
export interface StampHead {
  state: 'filling' | 'live'
  /** Last assigned stamp, ms since the epoch; 0 when there is none yet. */
  lastStamp: number
  /** Where a filling connection begins: far enough in the past that its stamps never lead the clock. */
  fillFloor: number
  /** Database clock, ms. */
  clock: number
}

/**
 * The next stamp of a connection: strictly greater than every earlier one, so that with the head lock held to the
 * commit, commit order is stamp order and no poller can skip a row. While a connection is being filled every writer
 * counts up from the past.
 */
export const nextStamp = ({ state, lastStamp, fillFloor, clock }: StampHead): number =>
  state === 'filling' ? Math.max(lastStamp, fillFloor) + 1 : Math.max(clock, lastStamp + 1)

/** Room in the past, beyond one millisecond for each row, for changes that arrive while the connection is filled, ms. */
const FILL_MARGIN = 1_000

/** Where the stamps of a connection with so many bookings begin when it is filled. */
export const fillFloor = (lastStamp: number, clock: number, bookings: number): number =>
  Math.max(lastStamp, clock - bookings - FILL_MARGIN)
