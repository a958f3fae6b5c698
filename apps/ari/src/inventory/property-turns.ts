import { setTimeout as delay } from 'node:timers/promises'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'

/** Longest wait for a turn; the gateway gives a call up after 10 s, ms. */
const PATIENCE = 5_000
/** SQLSTATE of a lock that was waited for too long: a writer of another replica is at work. */
const LOCK_NOT_AVAILABLE = '55P03'

const isLocked = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === LOCK_NOT_AVAILABLE

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other updates of this property are being applied; send this one again.', {
    retryAfterSeconds: 2,
  })

/**
 * Lets calls of one property work one after the other, first come, first served. They exclude each other in the
 * database anyway; here they wait without a connection to it, which other properties may need.
 */
@Injectable()
export class PropertyTurns {
  /** Settles when the last one in a property's queue has had its turn. */
  private readonly last = new Map<string, Promise<void>>()

  /**
   * @param work is done again from the beginning, in time, when another replica holds the property
   * @throws ServiceError 503 `service_unavailable` when it takes too long; then nothing was done
   */
  async take<T>(propertyId: string, work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + PATIENCE
    const ahead = this.last.get(propertyId) ?? Promise.resolve()
    const { promise: own, resolve: done } = Promise.withResolvers<void>()
    const both = ahead.then(() => own)
    this.last.set(propertyId, both)
    void both.then(() => this.last.get(propertyId) === both && this.last.delete(propertyId))
    try {
      await within(ahead, deadline)
      return await insist(work, deadline)
    } finally {
      done()
    }
  }
}

async function within(turn: Promise<void>, deadline: number): Promise<void> {
  const timer = new AbortController()
  const late = delay(deadline - Date.now(), true, { signal: timer.signal }).catch(() => true)
  const isLate = await Promise.race([turn.then(() => false), late])
  timer.abort()
  if (isLate) throw busy()
}

async function insist<T>(work: () => Promise<T>, deadline: number): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isLocked(error)) throw error
      if (Date.now() > deadline) throw busy()
    }
  }
}
