import type { RateLimit } from '@connectivity/contracts/rate-limits'

/** Buckets are counted in millionths of a call. */
export const CALL = 1_000_000

/** What is still to drain of the calls counted so far: GCRA as a leaky bucket (ITU-T I.371, annex A). */
export interface Bucket {
  /** Millionths of a call. */
  used: number
  /** Microseconds on whatever clock counts the bucket. */
  at: number
}

/** What counting a call has come to. */
export interface Taken {
  passes: boolean
  /** Millionths of a call, this one included if it passes. */
  used: number
}

/**
 * Counts one call if there is room for it. A debt from before the limits were raised is cut down to the new burst, so
 * that raised limits help at once.
 */
export function takeFrom(bucket: Bucket | undefined, { per_minute, burst }: RateLimit, now: number): Taken {
  const full = burst * CALL
  const drained = bucket ? bucket.used - (Math.max(0, now - bucket.at) * per_minute) / 60 : 0
  const used = Math.min(full, Math.max(0, drained))
  const passes = used + CALL <= full
  return { passes, used: Math.ceil(passes ? used + CALL : used) }
}

/** The answer to "may this call pass", in the terms of the rate-limit headers. */
export interface Decision {
  passes: boolean
  /** Calls that would pass now. */
  remaining: number
  /** Seconds until the whole burst is there again. */
  resetSeconds: number
  /** Seconds after which a call passes again; of use when this one did not. */
  retryAfterSeconds: number
}

/** Words what counting a call has come to for the one who called. */
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
