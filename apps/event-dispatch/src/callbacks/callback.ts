import type { CallbackPayload, CallbackState, CallbackWrite } from '@connectivity/contracts/callbacks'
import { ServiceError } from '@connectivity/contracts/errors'
import { type ReservationEventType, reservationEventTypes } from '@connectivity/contracts/reservation-events'

/** The callback of one connection. */
export interface Callback {
  connectionId: string
  url: string
  events: ReservationEventType[]
  payload: CallbackPayload
  state: CallbackState
  suspendedAt: Date | null
}

/** The part of a callback that the partner chooses. */
export type CallbackChoice = Pick<Callback, 'url' | 'events' | 'payload'>

/** Reads the choice from a body; the defaults are every event type and the full payload. */
export const choiceOf = ({ url, events, payload }: CallbackWrite): CallbackChoice => ({
  url,
  events: events ?? [...reservationEventTypes],
  payload: payload ?? 'full',
})

/** A callback that passed its challenge is active again, unless an operator suspended it. */
export const stateAfterPut = (state: CallbackState): CallbackState =>
  state === 'suspended_by_operator' ? state : 'active'

/**
 * Allows partners to resume a callback that the service suspended; resuming an active one changes nothing.
 * @throws ServiceError 409 `invalid_transition` if an operator suspended it
 */
export function checkResumable({ state }: Pick<Callback, 'state'>): void {
  if (state !== 'suspended_by_operator') return
  throw new ServiceError('invalid_transition', 'Operations have suspended this callback; ask them to resume it.')
}
