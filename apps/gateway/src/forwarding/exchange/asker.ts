import type { ServiceName } from '@connectivity/contracts/identity'
import { operatorOf } from '@connectivity/service-kit/identity'
import type { TraceContext } from '@connectivity/service-kit/tracing'
import type { FastifyRequest } from 'fastify'
import type { Admitted } from '../../admission/admitted.js'
import { type Claims, gatewayClaims, operatorClaims, partnerClaims } from './identity.js'
import type { Side } from './upstreams.service.js'

/** Caller on whose behalf a service is called. */
export interface Asker {
  /** Identity claims sent to the service. */
  claims: (aud: ServiceName) => Claims
  /** Name in the fair queue of the service. */
  caller: string
  /** Pool of connections to use. */
  side: Side
  trace: TraceContext
}

/** Name under which the operator of a request takes places at a service, as an application does under its id. */
export const operatorName = (request: FastifyRequest): string => `operator ${operatorOf(request).subject}`

/** The partner of an admitted request. */
export const partnerAsker = (admitted: Admitted): Asker => ({
  claims: (aud) => partnerClaims(admitted, aud),
  caller: admitted.credential.applicationId,
  side: 'partners',
  trace: admitted.http.record.trace,
})

/** The gateway itself, in a place of the partner: for figures of connections that the request does not address. */
export const gatewayAsker = ({ id, credential, http }: Admitted): Asker => ({
  claims: (aud) => gatewayClaims(id, aud),
  caller: credential.applicationId,
  side: 'partners',
  trace: http.record.trace,
})

/** The operator of a request. */
export const operatorAsker = (request: FastifyRequest): Asker => ({
  claims: (aud) => operatorClaims(request, aud),
  caller: operatorName(request),
  side: 'operators',
  trace: request.record.trace,
})
