import { createSecretKey, type KeyObject } from 'node:crypto'
import { ServiceError } from '@connectivity/contracts/errors'
import {
  IDENTITY_HEADER,
  type Identity,
  type OperatorIdentity,
  type ServiceName,
} from '@connectivity/contracts/identity'
import type { OperatorChangeEntry, OperatorChangeProof } from '@connectivity/contracts/operator-changes'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { verifyIdentity } from './identity-token.js'
import { proveOperatorChange } from './operator-change-proof.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Proves that this service made an audit entry, with the keys that it shares with the gateway. */
    proveOperatorChange: (entry: OperatorChangeEntry) => OperatorChangeProof
  }
  interface FastifyRequest {
    /** Who calls, as the gateway says; set on every partner path before any handler runs. */
    identity: Identity
    /** Which operator calls, as the gateway says; set on every path below `/ops/v1` before any handler runs. */
    operatorIdentity: { subject: string; method: string; path: string; correlation_id: string }
  }
}

/** Probes and metrics, for the platform; everything else, in whatever form, takes an identity. */
const OPEN = /^\/(?:health\/|metrics(?:\?|$))/

/**
 * Lets only requests with the gateway's identity reach the paths of a service: a partner's, or below `/ops/v1` an
 * operator's. The identity must be for exactly this method and path, so that one taken from a log serves for nothing
 * else.
 * @param keys any of which the gateway may sign with
 */
export function requireIdentity(fastify: FastifyInstance, service: ServiceName, keys: readonly Buffer[]): void {
  const secrets = keys.map((key) => createSecretKey(key))
  fastify.decorate('proveOperatorChange', (entry) => proveOperatorChange(service, secrets, entry))
  fastify.decorateRequest('identity', null as unknown as Identity)
  fastify.decorateRequest('operatorIdentity', null as never)
  fastify.addHook('onRequest', (request: FastifyRequest, _reply, next) => {
    if (OPEN.test(request.url)) return next()
    const token = request.headers[IDENTITY_HEADER]
    const identity = typeof token === 'string' ? verifyWithAny(secrets, service, token) : null
    if (!identity || !fits(identity, request))
      return next(new ServiceError('invalid_token', 'This service is reached through the gateway only.'))
    if (isOperator(identity)) request.operatorIdentity = operatorOf(identity)
    else request.identity = identity
    next()
  })
}

function verifyWithAny(
  secrets: readonly KeyObject[],
  service: ServiceName,
  token: string,
): Identity | OperatorIdentity | null {
  const now = Date.now() / 1000
  for (const secret of secrets) {
    const identity = verifyIdentity(secret, service, token, now)
    if (identity) return identity
  }
  return null
}

const isOperator = (identity: Identity | OperatorIdentity): identity is OperatorIdentity => 'operator' in identity

const fits = (identity: Identity | OperatorIdentity, { url, method }: FastifyRequest): boolean =>
  identity.path === pathOf(url) &&
  identity.method === method &&
  isOperator(identity) === url.startsWith(`${OPERATORS_PATH}/`)

const operatorOf = ({ operator, method, path, correlation_id }: OperatorIdentity) => ({
  subject: operator,
  method,
  path,
  correlation_id,
})
