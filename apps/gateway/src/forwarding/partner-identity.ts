import type { KeyObject } from 'node:crypto'
import { CORRELATION_HEADER, IDENTITY_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { type IdentifiedRequest, IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import type { Admitted } from '../admission/admitted.js'

/**
 * Headers that vouch to a service for the partner of an admitted request.
 * @param key the service's identity key
 * @param identified the one request to the service that they are valid for
 */
export function partnerIdentity(
  admitted: Admitted,
  aud: ServiceName,
  key: KeyObject,
  identified: IdentifiedRequest,
): Record<string, string> {
  const { credential, connection, operation, id } = admitted
  const { person, scopes } = credential
  const claims = {
    aud,
    exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
    application_id: credential.applicationId,
    connection: connection && {
      property_id: connection.connectionId,
      external_property_id: connection.externalPropertyId,
      state: connection.state,
    },
    // Viewers may make some reads whose scope they do not have.
    scopes: person && operation.scope ? [...new Set([...scopes, operation.scope])] : scopes,
    correlation_id: id,
    ...(person && { actor: person.email }),
  }
  return { [IDENTITY_HEADER]: signIdentity(key, claims, identified), [CORRELATION_HEADER]: id }
}
