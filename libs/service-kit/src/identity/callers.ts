import type { Identity, OperatorIdentity } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'

/** An operator according to the gateway. */
export type OperatorCaller = Pick<OperatorIdentity, 'role' | 'method' | 'path' | 'correlation_id'> & { subject: string }

/** The caller of a request: a partner or an operator. */
export interface Caller {
  /** Null for an operator. */
  partner: Identity | null
  /** Null for a partner. */
  operator: OperatorCaller | null
  /** Idempotency-Key and body that the identity is for, see `contentOf`; absent in the gateway. */
  content?: string | undefined
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null at a path that needs none. Read it with `partnerOf` or `operatorOf`. */
    caller: Caller | null
  }
}

/**
 * The partner that calls.
 * @throws Error on a path that partners do not reach: a defect
 */
export function partnerOf({ caller, url }: FastifyRequest): Identity {
  if (!caller?.partner) throw new Error(`no partner calls ${url}`)
  return caller.partner
}

/**
 * The operator that calls.
 * @throws Error on a path that operators do not reach: a defect
 */
export function operatorOf({ caller, url }: FastifyRequest): OperatorCaller {
  if (!caller?.operator) throw new Error(`no operator calls ${url}`)
  return caller.operator
}
