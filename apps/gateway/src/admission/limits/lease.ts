import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { CALL, type Taken } from './gcra.js'

/** Longest that a lease is good for, microseconds. */
export const LEASE_LIFE = 1_000_000
/** Calls that a lease holds at least, and otherwise what the limit allows in so many seconds. */
const LEAST_CALLS = 8
const WORTH_SECONDS = 0.05
/** One in so many calls of the burst, at most. */
const SHARE_OF_BURST = 4

/** Calls that this process has counted in Redis ahead of time and lets pass without asking again. */
export interface Lease {
  limit: RateLimit
  /** Name of the lease: when Redis granted it, by its clock. */
  id: number
  /** What the bucket held then, the lease included; millionths of a call. */
  level: number
  /** What has not been used of it; millionths of a call. */
  unspent: number
  /** When it was asked for and when it came, on this process's clock, microseconds. */
  askedAt: number
  cameAt: number
}

/** Calls to ask for at once. */
export const leaseSize = ({ per_minute, burst }: RateLimit): number =>
  Math.min(Math.max(LEAST_CALLS, Math.ceil((per_minute / 60) * WORTH_SECONDS)), Math.ceil(burst / SHARE_OF_BURST))

/**
 * Lets one call pass on the lease; null when it is used up, too old or of other figures.
 *
 * What has drained from the bucket since has drained from the lease too: else calls counted early would pass on top of
 * a full burst. Nobody else can have made the bucket emptier meanwhile, since one lease at a time is granted.
 */
export function spend(lease: Lease, { per_minute, burst }: RateLimit, now: number): Taken | null {
  if (lease.limit.per_minute !== per_minute || lease.limit.burst !== burst) return null
  if (now - lease.askedAt >= LEASE_LIFE) return null
  const drainedSince = (time: number) => ((now - time) * per_minute) / 60
  const left = Math.min(lease.unspent, lease.level - drainedSince(lease.askedAt))
  if (left < CALL) return null
  lease.unspent = left - CALL
  return { passes: true, used: Math.ceil(lease.level - drainedSince(lease.cameAt) - lease.unspent) }
}
