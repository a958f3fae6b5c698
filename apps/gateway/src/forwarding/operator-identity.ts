import type { KeyObject } from 'node:crypto'
import {
  CORRELATION_HEADER,
  IDENTITY_HEADER,
  type OperatorIdentity,
  type ServiceName,
} from '@connectivity/contracts/identity'
import { pathOf } from '@connectivity/contracts/request-target'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import type { FastifyRequest } from 'fastify'

/** A call of a service in an operator's name. */
export interface OperatorCall {
  service: ServiceName
  /** The service's key. */
  key: KeyObject
  method: OperatorIdentity['method']
  /** With query. */
  path: string
}

/** What a service is told about the operator whose request this is. */
export function identityHeaders(request: FastifyRequest, { service, key, method, path }: OperatorCall) {
  const identity: OperatorIdentity = {
    aud: service,
    exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
    operator: request.operator.subject,
    method,
    path: pathOf(path),
    correlation_id: request.id,
  }
  return {
    [IDENTITY_HEADER]: signIdentity(key, identity),
    [CORRELATION_HEADER]: request.id,
  }
}
