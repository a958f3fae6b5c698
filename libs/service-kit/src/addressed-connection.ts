import { ServiceError } from '@connectivity/contracts/errors'
import type { Identity } from '@connectivity/contracts/identity'

/**
 * The connection that the gateway let through, checked once more against what the request asks for.
 * @throws ServiceError `property_forbidden`
 */
export function addressedConnection(identity: Identity, propertyId: string): NonNullable<Identity['connection']> {
  if (identity.connection?.property_id === propertyId) return identity.connection
  throw new ServiceError(
    'property_forbidden',
    'This property_id is not assigned to your application; use an id from GET /properties.',
  )
}
