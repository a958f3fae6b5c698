import type { ConnectionWarning } from '@connectivity/contracts/operators-api'
import type { ConnectionEntity } from './connection.entity.js'

/** The connection as stored in the audit. */
export const connectionFields = (connection: ConnectionEntity): object => ({
  property_id: connection.connectionId,
  application_id: connection.applicationId,
  source_property_id: connection.sourcePropertyId,
  external_property_id: connection.externalPropertyId,
  environment: connection.environment,
  state: connection.state,
  state_before_disabled: connection.stateBeforeDisabled,
  disabled_at: connection.disabledAt,
  public_reason: connection.publicReason,
  created_at: connection.createdAt,
  version: connection.version,
})

/**
 * The connection as operators see it.
 * @param isKnown whether the booking engine's snapshots have named its property
 */
export const presentConnection = (connection: ConnectionEntity, isKnown: boolean): object => ({
  ...connectionFields(connection),
  warnings: isKnown ? [] : [unknownProperty],
})

const unknownProperty: ConnectionWarning = {
  code: 'unknown_property',
  pointer: '/source_property_id',
  message:
    'The booking engine has sent no snapshot of this property yet, so the connection has no catalog; check the id, or have the property published.',
}
