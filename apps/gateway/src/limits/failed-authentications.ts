import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { FastifyRequest } from 'fastify'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { clientAddress } from './client-address.js'
import { rateLimited } from './limit-headers.js'
import { authenticationFailures } from './limit-metrics.js'
import { RateLimiter } from './rate-limiter.js'

const UNAUTHENTICATED = 401

/** Counts refused authentications per client address. Only what fails is ever refused for it: a good credential passes. */
@Injectable()
export class FailedAuthentications {
  private readonly limit: { per_minute: number; burst: number }

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(GATEWAY_CONFIG) { FAILED_AUTH_PER_MINUTE }: Pick<GatewayConfig, 'FAILED_AUTH_PER_MINUTE'>,
  ) {
    this.limit = { per_minute: FAILED_AUTH_PER_MINUTE, burst: FAILED_AUTH_PER_MINUTE }
  }

  /**
   * Notes why authentication failed.
   * @returns what to answer: the failure itself, or 429 `rate_limited` when the address has failed too often
   */
  async judge(request: FastifyRequest, failure: unknown): Promise<unknown> {
    if (!(failure instanceof ServiceError) || failure.status !== UNAUTHENTICATED) return failure
    authenticationFailures.inc({ reason: failure.details?.[0]?.code ?? failure.code })
    const decision = await this.limiter.take('failures', clientAddress(request), this.limit)
    if (decision.passes) return failure
    return rateLimited(
      `Too many failed authentications from your address; wait ${decision.retryAfterSeconds} s and check the credential. Requests with a valid one pass.`,
      decision,
    )
  }
}
