import type { CallbackAnswer, CallbackPayload, CallbackState, CallbackWrite } from '@connectivity/contracts/callbacks'
import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { type ReservationEventType, reservationEventTypes } from '@connectivity/contracts/reservation-events'

/** Where one connection's events go. */
export interface Callback {
  connectionId: string
  url: string
  events: ReservationEventType[]
  payload: CallbackPayload
  state: CallbackState
  suspendedAt: Date | null
}

/** What the partner decides of it. */
export type CallbackChoice = Pick<Callback, 'url' | 'events' | 'payload'>

/** What a body asks for: every type of event and the full payload unless it says otherwise. */
export const choiceOf = ({ url, events, payload }: CallbackWrite): CallbackChoice => ({
  url,
  events: events ?? [...reservationEventTypes],
  payload: payload ?? 'full',
})

/** @param secret only where it has just been made */
export const presentCallback = (callback: Callback, secret?: string): CallbackAnswer => ({
  schema_version: SCHEMA_VERSION,
  property_id: callback.connectionId,
  url: callback.url,
  events: callback.events,
  payload: callback.payload,
  state: callback.state,
  suspended_at: callback.suspendedAt?.toISOString() ?? null,
  ...(secret === undefined ? {} : { secret }),
})

/** A callback that has just proved to be alive takes events again; an operator's word stands. */
export const stateAfterPut = (state: CallbackState): CallbackState =>
  state === 'suspended_by_operator' ? state : 'active'

/**
 * Partners resume what the service suspended; resuming an active callback changes nothing.
 * @throws ServiceError 409 `invalid_transition` when operations suspended it
 */
export function checkResumable({ state }: Callback): void {
  if (state !== 'suspended_by_operator') return
  throw new ServiceError('invalid_transition', 'Operations have suspended this callback; ask them to resume it.')
}

/** 404 for a connection without callback. */
export const noCallback = (): ServiceError =>
  new ServiceError('not_found', 'This property connection has no callback; register one with PUT.')
