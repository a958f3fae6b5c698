import { createSecretKey, type KeyObject } from 'node:crypto'
import { ServiceError } from '@connectivity/contracts/errors'
import {
  type Identity,
  type OperatorIdentity,
  type ServiceName,
  TAKES_PROOFS_HEADER,
} from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import type { AuditEntry, OperatorChangeProof } from '@connectivity/contracts/operator-changes'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { contentOf, IDENTITY_LIFETIME, verifyIdentity, wholeContentOf } from './identity-token.js'
import type { Caller } from './callers.js'
import { bodyHashOf } from '../http/json-body.js'
import { rolesFor, scopesNeeded } from './needed-rights.js'
import { proveOperatorChange } from './operator-change-proof.js'
import { UsedNonces } from './used-nonces.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Proves with the keys shared with the gateway that this service made an audit entry. */
    proveOperatorChange: (entry: AuditEntry) => OperatorChangeProof
  }
}

/** Probes and metrics, for the platform; every other target, in any form, requires an identity. */
const OPEN = /^\/(?:health\/|metrics(?:\?|$))/
const KEY_HEADER = IDEMPOTENCY_KEY.toLowerCase()

/**
 * Lets only requests with the gateway's identity reach the paths of a service: a partner's, or below `/ops/v1` an
 * operator's, with the scope or role that the call needs. The identity must be for exactly this method, path, query,
 * Idempotency-Key and body, so that one taken from a log is useless for any other request.
 * @param keys any of which the gateway may sign with
 */
export function requireIdentity(fastify: FastifyInstance, service: ServiceName, keys: readonly Buffer[]): void {
  const secrets = keys.map((key) => createSecretKey(key))
  fastify.decorate('proveOperatorChange', (entry) => proveOperatorChange(service, secrets, entry))
  const nonces = new UsedNonces(IDENTITY_LIFETIME)
  const checkRight = rightsOf(service)
  fastify.decorateRequest('caller', null)
  fastify.addHook('onRequest', (request: FastifyRequest, reply, next) => {
    if (OPEN.test(request.url)) return next()
    void reply.header(TAKES_PROOFS_HEADER, '1')
    const now = Date.now() / 1000
    const identity = verifyWithAny(secrets, service, request, now)
    if (!identity || !fits(identity, request)) return next(notIdentified())
    if (identity.nonce !== undefined && nonces.isSpent(identity.nonce, now)) return next(notIdentified())
    const refusal = checkRight(identity, request)
    if (refusal) return next(refusal)
    request.record.isForwarded = true
    request.caller = callerOf(identity)
    next()
  })
  fastify.addHook('preValidation', (request: FastifyRequest, _reply, next) => {
    next(isAltered(request) ? notIdentified() : undefined)
  })
}

const notIdentified = (): ServiceError =>
  new ServiceError('invalid_token', 'This service is reached through the gateway only.')

function isAltered(request: FastifyRequest): boolean {
  const { caller, url: target, headers } = request
  if (caller?.content === undefined) return false
  const idempotencyKey = headers[KEY_HEADER] as string | undefined
  const sent = { target, idempotencyKey, bodyHash: bodyHashOf(request) }
  return caller.content !== contentOf(sent) && caller.content !== wholeContentOf(sent)
}

function verifyWithAny(
  secrets: readonly KeyObject[],
  service: ServiceName,
  { method, url: target, headers }: FastifyRequest,
  now: number,
): Identity | OperatorIdentity | null {
  const received = { method, target, headers }
  for (const secret of secrets) {
    const identity = verifyIdentity(secret, service, received, now)
    if (identity) return identity
  }
  return null
}

/** Checks rights that the gateway has checked too: a fault there must not open calls to a caller without the right. */
function rightsOf(service: ServiceName) {
  const scopeNeeded = scopesNeeded(service)
  return (identity: Identity | OperatorIdentity, { method, routeOptions: { url } }: FastifyRequest) => {
    if (isOperator(identity)) return operatorRefusal(identity)
    if (url === undefined) return null
    const scope = scopeNeeded(method, url)
    if (scope === null || (scope && identity.scopes.includes(scope))) return null
    return new ServiceError('insufficient_scope', `This call needs the scope ${scope ?? 'of an operation'}.`)
  }
}

function operatorRefusal({ role, method, path }: OperatorIdentity): ServiceError | null {
  const roles = rolesFor(method, path)
  if (role === undefined || roles.includes(role)) return null
  return new ServiceError('insufficient_role', `This call needs the role ${roles[0]}.`)
}

const isOperator = (identity: Identity | OperatorIdentity): identity is OperatorIdentity => 'operator' in identity

const fits = (identity: Identity | OperatorIdentity, { url, method }: FastifyRequest): boolean =>
  identity.path === pathOf(url) &&
  identity.method === method &&
  isOperator(identity) === url.startsWith(`${OPERATORS_PATH}/`)

function callerOf(identity: Identity | OperatorIdentity): Caller {
  const { content } = identity
  if (!isOperator(identity)) return { partner: identity, operator: null, content }
  const { operator: subject, role, method, path, correlation_id } = identity
  return { partner: null, operator: { subject, role, method, path, correlation_id }, content }
}
