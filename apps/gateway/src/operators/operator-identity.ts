import { hash, type KeyObject } from 'node:crypto'
import {
  CORRELATION_HEADER,
  IDENTITY_HEADER,
  type OperatorIdentity,
  type ServiceName,
} from '@connectivity/contracts/identity'
import { operatorOf } from '@connectivity/service-kit/callers'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import type { FastifyRequest } from 'fastify'

/** A call to a service on behalf of an operator. */
export interface OperatorCall {
  service: ServiceName
  /** The service's identity key. */
  key: KeyObject
  method: OperatorIdentity['method']
  /** Path and query. */
  path: string
  body: Buffer | string | null
  idempotencyKey?: string | undefined
}

/** Name under which the operator of a request takes places at a service, as an application does under its id. */
export const callerOf = (request: FastifyRequest): string => `operator ${operatorOf(request).subject}`

/** Headers that identify the request's operator to a service. */
export function identityHeaders(
  request: FastifyRequest,
  { service, key, method, path, body, idempotencyKey }: OperatorCall,
) {
  const { subject, role } = operatorOf(request)
  const claims = {
    aud: service,
    exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
    operator: subject,
    role,
    correlation_id: request.id,
  }
  const bodyHash = body === null ? undefined : hash('sha256', body)
  return {
    [IDENTITY_HEADER]: signIdentity(key, claims, { method, target: path, bodyHash, idempotencyKey }),
    [CORRELATION_HEADER]: request.id,
  }
}
