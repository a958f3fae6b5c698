import type { RateLimit } from '@connectivity/contracts/rate-limits'

/** Buckets are counted in millionths of a call. */
export const CALL = 1_000_000

/** Calls counted so far that have not drained yet: GCRA as a leaky bucket (ITU-T I.371, annex A). */
export interface Bucket {
  /** Millionths of a call. */
  used: number
  /** Microseconds, on the clock that counts the bucket. */
  at: number
}

/** Result of counting a call. */
export interface Taken {
  passes: boolean
  /** Millionths of a call, this one included if it passes. */
  used: number
}

/**
 * Counts one call if there is room for it. A debt above the current burst is cut down to it before it drains, because
 * a refused call leaves the bucket as it was: so a change of limits takes effect at once.
 */
export function takeFrom(bucket: Bucket | undefined, { per_minute, burst }: RateLimit, now: number): Taken {
  const full = burst * CALL
  const drained = bucket ? (Math.max(0, now - bucket.at) * per_minute) / 60 : 0
  const used = bucket ? Math.max(0, Math.min(full, bucket.used) - drained) : 0
  const passes = used + CALL <= full
  return { passes, used: Math.ceil(passes ? used + CALL : used) }
}

/** The answer to "may this call pass", in the terms of the rate-limit headers. */
export interface Decision {
  passes: boolean
  /** Calls that would pass now. */
  remaining: number
  /** Seconds until the whole burst is available again. */
  resetSeconds: number
  /** Seconds until a call passes again; meaningful only if this one was refused. */
  retryAfterSeconds: number
}

/** Converts the result of counting a call to a decision for the caller. */
export function decide({ passes, used }: Taken, { per_minute, burst }: RateLimit): Decision {
  const perSecond = (per_minute * CALL) / 60
  const free = burst * CALL - used
  return {
    passes,
    remaining: Math.max(0, Math.floor(free / CALL)),
    resetSeconds: Math.ceil(used / perSecond),
    retryAfterSeconds: Math.max(1, Math.ceil((CALL - free) / perSecond)),
  }
}
