import type { Identity, OperatorIdentity, ServiceName } from '@connectivity/contracts/identity'
import {
  type IdentifiedRequest,
  IDENTITY_LIFETIME,
  identityHeaders,
  operatorOf,
  wholeIdentityHeaders,
} from '@connectivity/service-kit/identity'
import { correlationIdFrom } from '@connectivity/service-kit/http'
import type { FastifyRequest } from 'fastify'
import type { Admitted } from '../../admission/admitted.js'
import type { GatewayConfig } from '../../config.js'
import { takesProofs } from './identity-forms.js'

type AboutCaller<I extends Identity | OperatorIdentity> = Omit<I, 'method' | 'path' | 'content' | 'nonce'>

/** Claims about a caller, for one service. */
export type Claims = AboutCaller<Identity> | AboutCaller<OperatorIdentity>

/** Expiries are multiples of this, s, so that requests of one caller share the signed claims. */
const EXPIRY_STEP = 10

/** Expiry of an identity made now, Unix seconds. */
const expiry = (): number => {
  const latest = Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME
  return latest - (latest % EXPIRY_STEP)
}

/** Claims about the partner of an admitted request. */
export function partnerClaims({ credential, connection, operation, id }: Admitted, aud: ServiceName): Claims {
  const { person, scopes } = credential
  return {
    aud,
    exp: expiry(),
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
}

/** Claims about the operator of a request. */
export function operatorClaims(request: FastifyRequest, aud: ServiceName): Claims {
  const { subject, role } = operatorOf(request)
  return { aud, exp: expiry(), operator: subject, role, correlation_id: request.id }
}

/** Claims of the gateway itself, which reads figures of its own answer to a request. @param id correlation id */
export const gatewayClaims = (id: string, aud: ServiceName): Claims => ({
  aud,
  exp: expiry(),
  operator: 'gateway',
  role: 'connectivity:read',
  correlation_id: id,
})

/** Claims of the gateway itself, which follows the changes of a service. */
export const followerClaims = (aud: ServiceName): Claims => ({
  aud,
  exp: expiry(),
  application_id: 'gateway',
  connection: null,
  scopes: [],
  correlation_id: correlationIdFrom(undefined),
})

/** Adds the headers that vouch to a service for the caller of one request. */
export function identify(
  headers: Record<string, string>,
  keys: GatewayConfig['IDENTITY_KEYS'],
  claims: Claims,
  request: IdentifiedRequest,
): void {
  const vouch = takesProofs(claims.aud) ? identityHeaders : wholeIdentityHeaders
  Object.assign(headers, vouch(keys[claims.aud], claims, request))
}
