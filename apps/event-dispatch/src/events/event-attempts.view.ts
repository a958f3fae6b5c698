import type { DeliveryAttempt, EventAttempts } from '@connectivity/contracts/event-index'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { AttemptRow } from './event-attempts.store.js'

/** The attempts of one event, as partners and operators see them. */
export const presentAttempts = (
  connectionId: string,
  eventId: string,
  attempts: readonly AttemptRow[],
): EventAttempts => ({
  schema_version: SCHEMA_VERSION,
  property_id: connectionId,
  event_id: eventId,
  attempts: attempts.map(presentAttempt),
})

const presentAttempt = ({ at, ...attempt }: AttemptRow): DeliveryAttempt => ({ at: at.toISOString(), ...attempt })
