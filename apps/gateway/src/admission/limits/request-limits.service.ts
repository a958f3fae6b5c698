import { Injectable } from '@nestjs/common'
import type { ServiceError } from '@connectivity/contracts/errors'
import type { RateClass, RateLimit } from '@connectivity/contracts/rate-limits'
import { addAnswerHeaders, type PartnerRequest } from '../../http/requests/partner-request.js'
import { LiveConnections } from '../../live/live-connections.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { isAssigned } from '../assignment/assignment.js'
import { rateClassOf, rateClassOfMethod } from './counted-request.js'
import type { Decision } from './gcra.js'
import { limitHeaders, rateLimited } from './limit-headers.js'
import { PacedAnswers } from './paced-answers.hook.js'
import { RateLimiter } from './rate-limiter.service.js'

/** Counts partners' requests against their application's limits. */
@Injectable()
export class RequestLimits {
  constructor(
    private readonly limiter: RateLimiter,
    private readonly connections: LiveConnections,
    private readonly answers: PacedAnswers,
  ) {}

  /**
   * Counts an authenticated request.
   * @param connectionId the connection that it names, if any
   * @throws ServiceError 429 `rate_limited`
   */
  async admit(partner: PartnerRequest, credential: LiveCredential, connectionId: string | null): Promise<void> {
    const rateClass = credential.person ? rateClassOfMethod(partner.method) : rateClassOf(partner)
    const { connectionId: own, credentialId, limits } = credential
    if (own === null || rateClass === 'reads') {
      return this.count(partner, rateClass, credentialId, limits[rateClass])
    }
    const isOwn = !connectionId || connectionId === own
    const subject = isOwn ? own : await this.otherConnection(credential, own, connectionId)
    return this.count(partner, rateClass, subject, limits[rateClass])
  }

  /**
   * Counts one call and adds the rate-limit headers to its answer. Delays the refusals of a client that continues
   * over its limit.
   * @param subject the connection, credential or client whose calls are counted together
   * @throws ServiceError 429 `rate_limited`
   */
  async count(partner: PartnerRequest, rateClass: RateClass, subject: string, limit: RateLimit): Promise<void> {
    const decision = await this.limiter.take(rateClass, subject, limit)
    addAnswerHeaders(partner, limitHeaders(rateClass, limit, decision))
    const { fields } = partner.http.record
    fields.limit = rateClass
    fields.limit_remaining = decision.remaining
    if (decision.passes) return
    this.answers.refuse(partner, `${rateClass} ${subject}`)
    throw tooManyRequests(limit, decision)
  }

  /** The addressed connection if it is the caller's, otherwise the connection of the credential. */
  private async otherConnection(credential: LiveCredential, own: string, id: string): Promise<string> {
    // A later step of admission reports an unreachable database.
    const connection = this.connections.peek(id) ?? (await this.connections.get(id).catch(() => null))
    return connection && isAssigned(connection, credential) ? id : own
  }
}

/** 429 of a class whose limit is used up. */
export const tooManyRequests = (
  { per_minute, burst }: RateLimit,
  decision: Pick<Decision, 'retryAfterSeconds'>,
): ServiceError =>
  rateLimited(
    `Too many requests: ${per_minute} a minute and ${burst} at once. Wait ${decision.retryAfterSeconds} s, then go on more slowly.`,
    decision,
  )
