/** `waiting` for its catalog, `filling` from the bookings, following them `live`, or `closed` for good. */
export type FeedState = 'waiting' | 'filling' | 'live' | 'closed'
