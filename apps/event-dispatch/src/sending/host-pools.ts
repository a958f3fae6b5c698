import { Pool } from 'undici'
import type { CallbackTarget } from './callback-target.js'
import { connectVetted, type VettedAddresses } from './vetted-connector.js'

/** Idle connections are closed after this, or a little before the receiver would do it where it says when, ms. */
const KEEP_ALIVE = 4_000
const KEEP_ALIVE_MAX = 60_000
/** No connection is older, so that a host that moves is followed, ms. */
const CONNECTION_AGE = 120_000
/** Pools without requests are forgotten after this, ms. */
const IDLE = 60_000
const SWEEP_EVERY = 15_000
/** Pools kept at once; beyond it idle ones go at once, the longest unused first. */
const MOST_POOLS = 1_000

interface KeptPool {
  pool: Pool
  active: number
  usedAt: number
}

/**
 * Connections kept alive, a pool for each origin. A pool opens as many as its requests need: how many there are is
 * limited where requests come from, so that nobody waits here for somebody else's connection.
 */
export class HostPools {
  private readonly pools = new Map<string, KeptPool>()
  private readonly sweeper = setInterval(() => this.sweep(performance.now() - IDLE), SWEEP_EVERY).unref()

  constructor(private readonly vetted: VettedAddresses) {}

  /** Number of pools at the moment. */
  get size(): number {
    return this.pools.size
  }

  /** The pool for the target; `release` when the request is over. */
  take(target: CallbackTarget): { pool: Pool; release: () => void } {
    const key = `${target.origin} ${target.openedOnly}`
    const kept = this.pools.get(key) ?? { pool: this.open(target), active: 0, usedAt: 0 }
    // Taken out and put in again: the map's order is that of the last use.
    this.pools.delete(key)
    this.pools.set(key, kept)
    kept.active += 1
    if (this.pools.size > MOST_POOLS) this.evictOldest()
    const release = () => {
      kept.active -= 1
      kept.usedAt = performance.now()
    }
    return { pool: kept.pool, release }
  }

  /** Ends every connection, in use or not. */
  async destroy(): Promise<void> {
    clearInterval(this.sweeper)
    const pools = [...this.pools.values()]
    this.pools.clear()
    await Promise.all(pools.map(({ pool }) => pool.destroy()))
  }

  private open(target: CallbackTarget): Pool {
    return new Pool(target.origin, {
      connections: null,
      pipelining: 1,
      keepAliveTimeout: KEEP_ALIVE,
      keepAliveMaxTimeout: KEEP_ALIVE_MAX,
      clientTtl: CONNECTION_AGE,
      // The sender keeps its own deadlines.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_options, done) => {
        connectVetted(target, this.vetted).then(
          (socket) => done(null, socket),
          (error: Error) => done(error, null),
        )
      },
    })
  }

  /** Forgets the pools that were last used before the given time. */
  private sweep(before: number): void {
    for (const [key, kept] of this.pools) if (kept.usedAt < before) this.forget(key, kept)
  }

  private evictOldest(): void {
    for (const [key, kept] of this.pools) if (this.forget(key, kept)) return
  }

  private forget(key: string, { pool, active }: KeptPool): boolean {
    if (active > 0) return false
    this.pools.delete(key)
    // Closed, not destroyed: an answer that is still being read to its end may end.
    void pool.close().catch(() => undefined)
    return true
  }
}
