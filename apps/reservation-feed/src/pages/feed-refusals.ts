import { ServiceError } from '@connectivity/contracts/errors'
import type { ReservationProblem } from '@connectivity/contracts/reservation'
import type { FeedState } from '../projection/feed-state.js'

/** Seconds after which a client should retry a feed that is being filled. */
const FILL_RETRY = 2

/** Answer of a feed that is being filled. */
export const filling = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The feed of this property is being filled with its existing reservations; try again in a moment.',
    { retryAfterSeconds: FILL_RETRY },
  )

/** 404 for a reservation that the feed never showed. */
export const noReservation = (): ServiceError =>
  new ServiceError('not_found', 'There is no reservation with this id at this property.')

/** 422 for a reservation that the feed shows as a problem. */
export const unresolved = ({ message, updated_at, details }: ReservationProblem): ServiceError =>
  new ServiceError('accommodation_unresolved', message, {
    details: details.map(({ pointer, code }) => ({ pointer, code, message, updated_at })),
  })

/** Answer of a feed whose connection was closed after the gateway let the request through. */
function closed(): ServiceError {
  const message = 'This property connection is closed for good; contact operations for a new one.'
  return new ServiceError('connection_disabled', message, {
    details: [{ pointer: 'property_id', code: 'closed', message }],
  })
}

/**
 * The head of a feed that is complete, also of a closed one: operators see its history until its rows are deleted.
 * @throws ServiceError 503 while the feed is being filled
 */
export function completeHead<Head extends { state: FeedState }>(head: Head | null): Head | null {
  if (head?.state === 'filling') throw filling()
  return head
}

/**
 * The head of a feed that can be served, or null for an unknown feed.
 * @throws ServiceError 503 while the feed is being filled, 403 when it is closed
 */
export function servable<Head extends { state: FeedState }>(head: Head | null): Head | null {
  if (head?.state === 'closed') throw closed()
  return completeHead(head)
}
