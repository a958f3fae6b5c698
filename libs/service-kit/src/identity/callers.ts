import type { Identity, OperatorIdentity } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'

/** An operator according to the gateway. */
export type OperatorCaller = Pick<OperatorIdentity, 'role' | 'method' | 'path' | 'correlation_id'> & { subject: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** The calling partner according to the gateway; read it with `partnerOf`. */
    identity: Identity | null
    /** The calling operator; read it with `operatorOf`. */
    operatorIdentity: OperatorCaller | null
  }
}

/**
 * The partner that calls.
 * @throws Error on a path that partners do not reach: a defect
 */
export function partnerOf({ identity, url }: FastifyRequest): Identity {
  if (!identity) throw new Error(`no partner calls ${url}`)
  return identity
}

/**
 * The operator that calls.
 * @throws Error on a path that operators do not reach: a defect
 */
export function operatorOf({ operatorIdentity, url }: FastifyRequest): OperatorCaller {
  if (!operatorIdentity) throw new Error(`no operator calls ${url}`)
  return operatorIdentity
}
