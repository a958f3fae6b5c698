import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'

/** Calls of one property in the database at once: while one holds the property's lock, the next gets as far as to it. */
const AT_ONCE = 2
/** Longest wait for a turn; the gateway gives a call up after 10 s, ms. */
const PATIENCE = 7_000
/** SQLSTATE of a lock that was waited for too long: other writers are at work. */
const LOCK_NOT_AVAILABLE = '55P03'

const isLocked = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === LOCK_NOT_AVAILABLE

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other updates of this property are being applied; send this one again.', {
    retryAfterSeconds: 2,
  })

interface Queue {
  active: number
  /** First come, first served. */
  readonly waiting: (() => void)[]
}

/**
 * Lets the calls of one property work a few at a time. They exclude each other in the database anyway; here they wait
 * without a connection to it, which other properties may need.
 */
@Injectable()
export class PropertyTurns {
  private readonly queues = new Map<string, Queue>()

  /**
   * @param work is done again from the beginning, in time, when it could not have the property's lock
   * @throws ServiceError 503 `service_unavailable` when it takes too long; then nothing was done
   */
  async take<T>(propertyId: string, work: () => Promise<T>): Promise<T> {
    const deadline = Date.now() + PATIENCE
    await this.enter(propertyId)
    try {
      return await insist(work, deadline)
    } finally {
      this.leave(propertyId)
    }
  }

  private async enter(propertyId: string): Promise<void> {
    const queue = this.queues.get(propertyId) ?? { active: 0, waiting: [] }
    this.queues.set(propertyId, queue)
    if (queue.active < AT_ONCE) return void queue.active++
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const late = setTimeout(() => {
      queue.waiting.splice(queue.waiting.indexOf(resolve), 1)
      reject(busy())
    }, PATIENCE)
    queue.waiting.push(resolve)
    await promise.finally(() => clearTimeout(late))
  }

  /** The place goes to the one who waits longest. */
  private leave(propertyId: string): void {
    const queue = this.queues.get(propertyId)!
    const next = queue.waiting.shift()
    if (next) return next()
    queue.active--
    if (queue.active === 0) this.queues.delete(propertyId)
  }
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
