import { ServiceError } from '@connectivity/contracts/errors'
import type { RateClass, RateLimit } from '@connectivity/contracts/rate-limits'
import type { Decision } from './gcra.js'

/** Rate-limit headers of every authenticated answer: the IETF draft's and the better-known older ones. */
export function limitHeaders(
  rateClass: RateClass,
  { per_minute }: RateLimit,
  { remaining, resetSeconds }: Decision,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${rateClass}";q=${per_minute};w=60`,
    ratelimit: `"${rateClass}";r=${remaining};t=${resetSeconds}`,
    'x-ratelimit-limit': String(per_minute),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': String(resetSeconds),
  }
}

/** 429 with the number of seconds until a call passes again. */
export const rateLimited = (
  message: string,
  { retryAfterSeconds }: Pick<Decision, 'retryAfterSeconds'>,
): ServiceError => new ServiceError('rate_limited', message, { retryAfterSeconds })
