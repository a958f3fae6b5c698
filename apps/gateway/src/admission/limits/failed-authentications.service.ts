import { Inject, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { FairQueues } from '@connectivity/service-kit/work'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { rateLimited } from './limit-headers.js'
import { authenticationFailures } from './limit-metrics.js'
import { OverLimit } from './over-limit.js'
import { RateLimiter } from './rate-limiter.service.js'

/** Concurrent lookups per address, so that a flood from new addresses does not become a flood of queries. */
const LOOKUPS_AT_ONCE = 8

/**
 * Counts failed authentications per client address. Over the limit only failures get 429: a valid credential passes.
 *
 * Once an address is over its limit, its failures are refused from memory. Untagged keys that this process has never
 * seen are then looked up at a small rate, known and tagged keys always. Invented ids cause no further I/O, and a
 * partner behind the same address still passes.
 */
@Injectable()
export class FailedAuthentications {
  private readonly limit: { per_minute: number; burst: number }
  private readonly secondsPerFailure: number
  private readonly over = new OverLimit()
  private readonly lookups = atOnce(LOOKUPS_AT_ONCE)
  /** Counts one failure per address at a time, so that a flood of failures does not become a flood of Redis calls. */
  private readonly counting = atOnce(1)

  constructor(
    private readonly limiter: RateLimiter,
    @Inject(GATEWAY_CONFIG) { FAILED_AUTH_PER_MINUTE }: Pick<GatewayConfig, 'FAILED_AUTH_PER_MINUTE'>,
  ) {
    this.limit = { per_minute: FAILED_AUTH_PER_MINUTE, burst: FAILED_AUTH_PER_MINUTE }
    this.secondsPerFailure = Math.ceil(60 / FAILED_AUTH_PER_MINUTE)
  }

  /**
   * Notes why authentication failed.
   * @param failure a refusal caused by the client
   * @returns what to answer: the failure itself, or 429 `rate_limited` when the address has failed too often
   */
  async judge(address: string, failure: ServiceError): Promise<ServiceError> {
    authenticationFailures.inc({ reason: failure.details?.[0]?.code ?? failure.code })
    // Failures ahead in the queue fill the burst: refuse this one now instead of holding it and its body in the queue.
    if (this.counting.waiting(address, '') >= this.limit.burst) return tooManyFailures(this.secondsPerFailure)
    return this.counting.of(address).run('', () => this.decide(address, failure))
  }

  /**
   * Looks up what is not in memory, at most `LOOKUPS_AT_ONCE` for one address; the others wait.
   * @param load queries the database
   * @param isOurs whether the key carries our tag, which only we can make
   * @returns undefined when the address is over its limit and has used up its lookups
   */
  async lookUp<T>(address: string, load: () => Promise<T>, isOurs = false): Promise<T | undefined> {
    const mayLookUp = () => isOurs || this.over.may('lookups', address)
    return this.lookups.of(address).run('', async () => (mayLookUp() ? load() : undefined))
  }

  /** Whether an address may open a connection now; above its limit it may open only a few. */
  mayConnect(address: string): boolean {
    return this.over.may('connections', address)
  }

  /** Seconds until a further failure of the address counts again; 0 while it is under its limit. */
  secondsLeft(address: string): number {
    return this.over.secondsLeft(address)
  }

  /** 429 `rate_limited` for an address over its limit that gets no lookup. */
  refusal(address: string): ServiceError {
    return tooManyFailures(Math.max(1, this.secondsLeft(address)))
  }

  private async decide(address: string, failure: ServiceError): Promise<ServiceError> {
    const seconds = this.over.secondsLeft(address)
    if (seconds > 0) return tooManyFailures(seconds)
    const { passes, retryAfterSeconds } = await this.limiter.take('failures', address, this.limit)
    if (passes) return failure
    this.over.note(address, retryAfterSeconds)
    return tooManyFailures(retryAfterSeconds)
  }
}

/** A queue per address: at most `most` tasks run at once, the others wait in order of arrival. */
const atOnce = (most: number): FairQueues => new FairQueues({ mayBegin: (_name, _own, all) => all < most })

const tooManyFailures = (retryAfterSeconds: number): ServiceError =>
  rateLimited(
    `Too many failed authentications from your address; wait ${retryAfterSeconds} s and check the credential. Requests with a valid one pass.`,
    { retryAfterSeconds },
  )
