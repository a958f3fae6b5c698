import type { ServiceName } from '@connectivity/contracts/identity'
import { operatorOf } from '@connectivity/service-kit/identity'
import type { TraceContext } from '@connectivity/service-kit/tracing'
import type { FastifyRequest } from 'fastify'
import type { Admitted } from '../../admission/admitted.js'
import { type Claims, gatewayClaims, operatorClaims, partnerClaims } from './identity.js'
import type { Side } from './upstreams.service.js'

/** Caller on whose behalf a service is called. */
export interface ServiceCaller {
  /** Identity claims sent to the service. */
  claims: (aud: ServiceName) => Claims
  /** Name in the fair queue of the service. */
  name: string
  /** Pool of connections to use. */
  side: Side
  trace: TraceContext
}

/** Name under which the operator of a request takes places at a service, as an application does under its id. */
export const operatorName = (request: FastifyRequest): string => `operator ${operatorOf(request).subject}`

/** The partner of an admitted request. */
export const partnerCaller = (admitted: Admitted): ServiceCaller => ({
  claims: (aud) => partnerClaims(admitted, aud),
  name: admitted.credential.applicationId,
  side: 'partners',
  trace: admitted.http.record.trace,
})

/** The gateway itself, in a place of the partner: for figures of connections that the request does not address. */
export const gatewayCaller = ({ id, credential, http }: Admitted): ServiceCaller => ({
  claims: (aud) => gatewayClaims(id, aud),
  name: credential.applicationId,
  side: 'partners',
  trace: http.record.trace,
})

/** The operator of a request. */
export const operatorCaller = (request: FastifyRequest): ServiceCaller => ({
  claims: (aud) => operatorClaims(request, aud),
  name: operatorName(request),
  side: 'operators',
  trace: request.record.trace,
})
