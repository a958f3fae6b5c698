import { Injectable } from '@nestjs/common'
import type { LimitClass, RateLimit } from '@connectivity/contracts/rate-limits'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { LiveConnections } from '../../live/live-connections.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { isAssigned } from '../assignment/assignment.js'
import type { PartnerRoute } from '../../http/partner-route.js'
import { limitClassOf } from './counted-request.js'
import { limitHeaders, rateLimited } from './limit-headers.js'
import { RateLimiter } from './rate-limiter.service.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Rate-limit headers of the answer, set once the request has been counted. */
    limitHeaders: Record<string, string> | undefined
  }
}

/** Counts partners' requests against their application's limits, api.md §3. */
@Injectable()
export class RequestLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly connections: LiveConnections,
  ) {}

  /**
   * Counts an authenticated request.
   * @param called the request's route, null for an unknown path, and the connection that it names, if any
   * @throws ServiceError 429 `rate_limited`
   */
  async admit(
    request: FastifyRequest,
    reply: FastifyReply,
    credential: LiveCredential,
    { route, propertyId }: { route: PartnerRoute | null; propertyId: string | null },
  ): Promise<void> {
    const limitClass = limitClassOf(route, request.method)
    const subject = limitClass === 'reads' ? credential.credentialId : await this.connectionOf(credential, propertyId)
    await this.count(request, reply, limitClass, subject, credential.limits[limitClass])
  }

  /**
   * Counts one call and adds the rate-limit headers to its answer.
   * @param subject the connection, credential or client whose calls are counted together
   * @throws ServiceError 429 `rate_limited`
   */
  async count(
    request: FastifyRequest,
    reply: FastifyReply,
    limitClass: LimitClass,
    subject: string,
    limit: RateLimit,
  ): Promise<void> {
    const decision = await this.limiter.take(limitClass, subject, limit)
    request.limitHeaders = limitHeaders(limitClass, limit, decision)
    void reply.headers(request.limitHeaders)
    request.record.fields.limit = limitClass
    request.record.fields.limit_remaining = decision.remaining
    if (decision.passes) return
    throw rateLimited(
      `Too many requests: ${limit.per_minute} a minute and ${limit.burst} at once. Wait ${decision.retryAfterSeconds} s, then go on more slowly.`,
      decision,
    )
  }

  /** The addressed connection if it is the caller's, otherwise the connection of the credential. */
  private async connectionOf(credential: LiveCredential, id: string | null): Promise<string> {
    if (!id || id === credential.connectionId) return credential.connectionId
    // A later step of admission reports an unreachable database.
    const connection = this.connections.peek(id) ?? (await this.connections.get(id).catch(() => null))
    return connection && isAssigned(connection, credential) ? id : credential.connectionId
  }
}
