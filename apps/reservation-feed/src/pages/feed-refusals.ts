import { ServiceError } from '@connectivity/contracts/errors'
import type { ReservationProblem } from '@connectivity/contracts/reservation'
import type { FeedState } from '../projection/feed-state.js'

/** Seconds after which a client should retry a feed that is not complete yet. */
const RETRY = 2

const incomplete = (message: string): ServiceError =>
  new ServiceError('service_unavailable', message, { retryAfterSeconds: RETRY })

/** Answer of a feed that is being filled. */
export const filling = (): ServiceError =>
  incomplete('The feed of this property is being filled with its existing reservations; try again in a moment.')

/** Answer for a connection that the gateway knows, but whose creation has not reached the feed yet. */
const notKnownYet = (): ServiceError => incomplete('The feed of this property is being set up; try again in a moment.')

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
 * Null for an unknown feed.
 * @throws ServiceError 503 while the feed is being filled
 */
export function completeHead<Head extends { state: FeedState }>(head: Head | null): Head | null {
  if (head?.state === 'filling') throw filling()
  return head
}

/**
 * The head of a feed that can be served to its partner.
 * @throws ServiceError 503 while the feed is unknown or being filled, 403 when it is closed
 */
export function servable<Head extends { state: FeedState }>(head: Head | null): Head {
  if (head?.state === 'closed') throw closed()
  const complete = completeHead(head)
  if (!complete) throw notKnownYet()
  return complete
}
