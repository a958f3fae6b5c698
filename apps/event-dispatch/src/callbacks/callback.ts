import type { CallbackAnswer, CallbackPayload, CallbackState, CallbackWrite } from '@connectivity/contracts/callbacks'
import { ServiceError } from '@connectivity/contracts/errors'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
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

/** State of the deliveries to a callback. */
export type DeliveryCounts = Required<Pick<CallbackAnswer, 'pending' | 'failed' | 'last_success_at'>>

/** @param added the secret if it was just created, and the state of deliveries where it is shown */
export const presentCallback = (
  callback: Callback,
  added: Partial<DeliveryCounts> & { secret?: string | undefined } = {},
): CallbackAnswer => ({
  schema_version: SCHEMA_VERSION,
  property_id: callback.connectionId,
  url: callback.url,
  events: callback.events,
  payload: callback.payload,
  state: callback.state,
  suspended_at: callback.suspendedAt?.toISOString() ?? null,
  ...Object.fromEntries(Object.entries(added).filter(([, value]) => value !== undefined)),
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

/** 404 for a connection without a callback. */
export const noCallback = (): ServiceError =>
  new ServiceError('not_found', 'This property connection has no callback; register one with PUT.')
