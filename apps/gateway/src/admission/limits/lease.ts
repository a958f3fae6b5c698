import type { RateLimit } from '@connectivity/contracts/rate-limits'
import { CALL, type Taken } from './gcra.js'

/** Longest life of a lease, microseconds. */
export const LEASE_LIFE = 1_000_000
/** Calls that follow each other faster than this are in a row and take a lease, microseconds. */
export const IN_A_ROW = 250_000
/**
 * Size of a lease: at least this many calls, otherwise as many as the limit allows in `IN_A_ROW`. A smaller lease could
 * drain before the next call, which would then need Redis again.
 */
const LEAST_CALLS = 8
const WORTH_SECONDS = IN_A_ROW / 1_000_000
/** Divisor of the burst: a lease holds at most one call in four. */
const SHARE_OF_BURST = 4

/** Calls that this process has counted in Redis in advance and passes without asking again. */
export interface Lease {
  limit: RateLimit
  /** Id of the lease: the time at which Redis granted it, on the clock of Redis. */
  id: number
  /** Level of the bucket at that time, including the lease; millionths of a call. */
  level: number
  /** Unused part of the lease; millionths of a call. */
  unspent: number
  /** Times of the request and of the grant, on this process's clock, microseconds. */
  askedAt: number
  cameAt: number
}

/** Number of calls to request as one lease. */
export const leaseSize = ({ per_minute, burst }: RateLimit): number =>
  Math.min(Math.max(LEAST_CALLS, Math.ceil((per_minute / 60) * WORTH_SECONDS)), Math.ceil(burst / SHARE_OF_BURST))

/**
 * Takes one call from the lease. A lease drains together with its bucket: otherwise calls counted in advance would pass
 * on top of a full burst. No other process can have emptied the bucket further meanwhile, since only one lease is
 * granted at a time.
 * @returns null without a lease, and for one that is used up, expired or granted under other limits
 */
export function spend(lease: Lease | undefined, { per_minute, burst }: RateLimit, now: number): Taken | null {
  if (lease?.limit.per_minute !== per_minute || lease.limit.burst !== burst) return null
  if (now - lease.askedAt >= LEASE_LIFE) return null
  const drainedSince = (time: number) => ((now - time) * per_minute) / 60
  const left = Math.min(lease.unspent, lease.level - drainedSince(lease.askedAt))
  if (left < CALL) return null
  lease.unspent = left - CALL
  return { passes: true, used: Math.ceil(lease.level - drainedSince(lease.cameAt) - lease.unspent) }
}
