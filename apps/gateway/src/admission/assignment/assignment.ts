import type { ConnectionState, ServingState } from '@connectivity/contracts/connection-events'
import { invalidParameter, ServiceError } from '@connectivity/contracts/errors'
import type { Operation } from '@connectivity/contracts/operation'
import { checkValue } from '@connectivity/contracts/query-parameters'
import { objectOf } from '@connectivity/service-kit/http'
import type { LiveConnection } from '../../live/live-connection.js'
import type { LiveCredential } from '../../live/live-credential.js'
import type { NamedConnection } from './named-connection.js'

/**
 * The connection id that a request names; null for a call that addresses no connection.
 * @throws ServiceError 400 `invalid_request` when it is missing or malformed
 */
export function addressedId({ property }: Operation, { id, fault }: NamedConnection, body: unknown): string | null {
  if (property === null) return null
  if (property === 'body') return propertyInBody(body)
  if (fault !== null) throw fault
  if (id !== null) return id
  throw invalidParameter('property_id', 'missing', 'Add property_id: a connection id from GET /properties.')
}

/** Applies the rules of a query parameter to a `property_id` that is a string. */
function propertyInBody(body: unknown): string {
  const { property_id: value }: { property_id?: unknown } = objectOf(body)
  if (typeof value === 'string' && value !== '') return checkValue(value, '/property_id')
  const code = value === undefined ? 'missing' : 'invalid_value'
  throw invalidParameter('/property_id', code, 'Give the body a property_id: a connection id from GET /properties.')
}

/** Advice to the partner for each state in which a connection does not serve. */
const notServing: Record<Exclude<ConnectionState, ServingState>, string> & Partial<Record<ServingState, never>> = {
  provisioning: 'This property connection is still being set up; wait until operations have opened it.',
  disabled: 'This property connection is disabled; contact operations to have it enabled.',
  closed: 'This property connection is closed for good; contact operations for a new one.',
}

/** Refuses an id that is not the caller's; an unknown id and another application's id get the same refusal. */
export const notAssigned = (): ServiceError =>
  new ServiceError(
    'property_forbidden',
    'This property_id is not assigned to you; use an id from GET /properties and do not retry with this one.',
  )

/**
 * The caller's connection, which the call names, if it can be used now.
 * @throws ServiceError 403 `connection_disabled`
 */
export function servingConnection(
  connection: LiveConnection,
  { property }: Pick<Operation, 'property'>,
): LiveConnection {
  const message = notServing[connection.state]
  if (message === undefined) return connection
  throw new ServiceError('connection_disabled', message, {
    details: [{ pointer: property === 'body' ? '/property_id' : 'property_id', code: connection.state, message }],
  })
}

/** Whether the caller may address this connection, regardless of its state. */
export const isAssigned = (connection: LiveConnection, credential: LiveCredential): boolean =>
  connection.applicationId === credential.applicationId &&
  (!credential.ownConnectionOnly || connection.connectionId === credential.connectionId)
