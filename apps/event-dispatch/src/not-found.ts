import { ServiceError } from '@connectivity/contracts/errors'

/** 404 for an event that is not in the connection's index. */
export const noEvent = (): ServiceError =>
  new ServiceError(
    'not_found',
    'This property connection has no such event, or dropped it for its age; GET /reservations/events lists those it has.',
  )

/** 404 for a connection without a callback. */
export const noCallback = (): ServiceError =>
  new ServiceError(
    'not_found',
    'This property connection has no callback; register one with PUT /properties/{id}/callback.',
  )
