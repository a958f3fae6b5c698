import { IsInt, Max, Min } from 'class-validator'
import { Nested, Optional } from './validation.js'

const MAX_RATE = 1_000_000

/** A rate limit: sustained calls per minute, and the size of a burst. */
export class RateLimit {
  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  per_minute: number

  @IsInt()
  @Min(1)
  @Max(MAX_RATE)
  burst: number
}

/** Classes of calls, each with a limit of its own. */
export const rateClasses = ['feed', 'reads', 'ari', 'mutations', 'token', 'digest'] as const
/** A class of calls with a limit of its own. */
export type RateClass = (typeof rateClasses)[number]
/** The limit of every class. */
export type RateLimits = Record<RateClass, RateLimit>

/** Limits of a new application, and of any application without a stored limit for the class. */
export const defaultLimits: RateLimits = {
  feed: { per_minute: 600, burst: 60 },
  reads: { per_minute: 1_200, burst: 60 },
  ari: { per_minute: 120, burst: 20 },
  mutations: { per_minute: 120, burst: 20 },
  token: { per_minute: 10, burst: 10 },
  digest: { per_minute: 30, burst: 10 },
}

/** New limits of some classes; absent ones stay. */
export class RateLimitChanges implements Partial<RateLimits> {
  @Optional()
  @Nested(() => RateLimit)
  feed?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  reads?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  ari?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  mutations?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  token?: RateLimit

  @Optional()
  @Nested(() => RateLimit)
  digest?: RateLimit
}
