import { ServiceError } from '@connectivity/contracts/errors'
import type { FeedState } from './feed-state.js'

/** Seconds after which a client should retry a feed that is being filled. */
const FILL_RETRY = 2

/** Answer of a feed that is being filled. */
export const filling = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The feed of this property is being filled with its existing reservations; try again in a moment.',
    { retryAfterSeconds: FILL_RETRY },
  )

/** Answer of a feed whose connection was closed after the gateway let the request through. */
function closed(): ServiceError {
  const message = 'This property connection is closed for good; contact operations for a new one.'
  return new ServiceError('connection_disabled', message, {
    details: [{ pointer: 'property_id', code: 'closed', message }],
  })
}

/**
 * The head of a feed that can be served, or null for an unknown feed.
 * @throws ServiceError 503 while the feed is filled, 403 when it is closed
 */
export function servable<Head extends { state: FeedState }>(head: Head | null): Head | null {
  if (head?.state === 'filling') throw filling()
  if (head?.state === 'closed') throw closed()
  return head
}
