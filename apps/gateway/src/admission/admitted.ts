import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { Operation } from '@connectivity/contracts/operation'
import type { FastifyRequest } from 'fastify'
import type { PartnerRequest } from '../http/requests/partner-request.js'
import type { LiveConnection } from '../live/live-connection.js'
import type { LiveCredential } from '../live/live-credential.js'

/** A partner's request that has passed every step of admission. */
export interface Admitted extends PartnerRequest {
  readonly operation: Operation
  /** The caller's credential, with the scopes of the token if it used one. */
  readonly credential: LiveCredential
  /** Time at which credential, secret, token or session expires, ms since the epoch; Infinity if none does. */
  readonly validUntil: number
  /** The client's timestamp, Unix seconds; null for a bearer token. */
  readonly timestamp: number | null
  /** The connection that the operation addresses, if any; assigned to the caller and in a state that serves. */
  readonly connection: LiveConnection | null
}

/** Whether a partner's software gets to see the answer, so that it is evidence for the pilot and counts as a poll. */
export const showsAnswer = ({ method, credential }: Admitted): boolean => method !== 'HEAD' && !credential.person

/** @throws Error for a request that admission has not seen, whose handlers must not call it */
export function admittedOf({ partner }: FastifyRequest): Admitted {
  if (partner && 'credential' in partner) return partner as Admitted
  throw new Error('a handler of partners was called without admission')
}

/** Parameter of a Nest handler: the admitted request. */
export const AdmittedRequest = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  admittedOf(context.switchToHttp().getRequest<FastifyRequest>()),
)
