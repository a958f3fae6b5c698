import { ServiceError } from '@connectivity/contracts/errors'
import type { Identity } from '@connectivity/contracts/identity'

/**
 * Returns the connection that the gateway admitted, checked again against the property that the request names.
 * @throws ServiceError `property_forbidden`
 */
export function addressedConnection(identity: Identity, connectionId: string): NonNullable<Identity['connection']> {
  if (identity.connection?.property_id === connectionId) return identity.connection
  throw new ServiceError(
    'property_forbidden',
    'This property_id is not assigned to your application; use an id from GET /properties.',
  )
}
