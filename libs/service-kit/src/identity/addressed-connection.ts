import { ServiceError } from '@connectivity/contracts/errors'
import type { Identity } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'
import { partnerOf } from './callers.js'

/**
 * Returns the connection that the gateway admitted, checked again against the property that the request names.
 * @throws ServiceError `property_forbidden`
 */
export function addressedConnection(
  request: FastifyRequest,
  connectionId: string,
): NonNullable<Identity['connection']> {
  const { connection } = partnerOf(request)
  if (connection?.property_id === connectionId) return connection
  throw new ServiceError(
    'property_forbidden',
    'This property_id is not assigned to your application; use an id from GET /properties.',
  )
}

/**
 * The connection that the gateway asks about: the partner's own one, or any one for an operator.
 * @throws ServiceError `property_forbidden` when a partner's identity is for another connection
 */
export const askedConnection = (request: FastifyRequest, connectionId: string): string =>
  request.caller?.operator ? connectionId : addressedConnection(request, connectionId).property_id
