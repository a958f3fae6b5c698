import { createSecretKey } from 'node:crypto'
import { ServiceError } from '@connectivity/contracts/errors'
import { IDENTITY_HEADER, type Identity, type ServiceName } from '@connectivity/contracts/identity'
import { pathOf } from '@connectivity/contracts/request-target'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { verifyIdentity } from './identity-token.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls, as the gateway says; set on every partner path before any handler runs. */
    identity: Identity
  }
}

/** Probes and metrics, for the platform; everything else, in whatever form, takes an identity. */
const OPEN = /^\/(?:health\/|metrics(?:\?|$))/

/**
 * Lets only requests with the gateway's identity reach the partner paths of a service. The identity must be for
 * exactly this method and path, so that one taken from a log serves for nothing else.
 */
export function requireIdentity(fastify: FastifyInstance, service: ServiceName, key: Buffer): void {
  const secret = createSecretKey(key)
  fastify.decorateRequest('identity', null as unknown as Identity)
  fastify.addHook('onRequest', (request: FastifyRequest, _reply, next) => {
    if (OPEN.test(request.url)) return next()
    const token = request.headers[IDENTITY_HEADER]
    const identity = typeof token === 'string' ? verifyIdentity(secret, service, token, Date.now() / 1000) : null
    const fits = identity?.path === pathOf(request.url) && identity.method === request.method
    if (!identity || !fits)
      return next(new ServiceError('invalid_token', 'This service is reached through the gateway only.'))
    request.identity = identity
    next()
  })
}
