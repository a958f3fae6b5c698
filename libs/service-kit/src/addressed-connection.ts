import { ServiceError } from '@connectivity/contracts/errors'
import type { Identity } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'
import type {} from './identity.hook.js'

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

/**
 * The connection that the gateway asks about: the partner's own one, or any one for an operator.
 * @throws ServiceError `property_forbidden` when a partner's identity is for another connection
 */
export const askedConnection = ({ identity, operatorIdentity }: FastifyRequest, connectionId: string): string =>
  operatorIdentity ? connectionId : addressedConnection(identity, connectionId).property_id
