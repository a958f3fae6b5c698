import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { isLockTimeout } from '@connectivity/database/locks'
import { waitForTurn, FairQueues } from '@connectivity/service-kit/fair-queue'

/** Calls of one property in the database at once: one holds the property's lock, the next gets as far as the lock. */
const AT_ONCE = 2
/** The same, including other connections that arrive while those places are taken: each may have one call. */
const MOST_AT_ONCE = 4
/** Calls of one connection that may wait: enough for one application at four gateways. Each call holds up to 1 MiB. */
const WAITING_PER_CONNECTION = 32
/** Longest wait for a turn and the locks together, ms; the gateway gives up after 10 s. */
const PATIENCE = 7_000
const RETRY_AFTER_SECONDS = 2

const unavailable = (message: string): ServiceError =>
  new ServiceError('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER_SECONDS })

const busy = (): ServiceError =>
  unavailable('Other updates of this property are being applied; send this one again with the same Idempotency-Key.')

const tooMany = (): ServiceError =>
  unavailable(
    `${WAITING_PER_CONNECTION} calls of this connection wait already; await their answers, then send this one again with the same Idempotency-Key.`,
  )

/**
 * Runs a few calls of one property at a time, the connections in turn. The calls exclude each other in the database
 * in any case; here they wait without a database connection, which other properties may need. Across replicas,
 * `PropertyStore.lock` decides the order.
 */
@Injectable()
export class PropertyTurns {
  /** By property; the names in a queue are connections. */
  private readonly queues = new FairQueues({
    mayBegin: (_connectionId, own, all) => all < (own === 0 ? MOST_AT_ONCE : AT_ONCE),
  })

  /**
   * @param work gets the time by which it must have its locks, ms since 1970; calls of one connection begin in the order
   *   of their arrival
   * @throws ServiceError 503 `service_unavailable` if the wait takes too long, or at once if too many calls of the
   *   connection wait; nothing was done then
   */
  async take<T>(propertyId: string, connectionId: string, work: (deadline: number) => Promise<T>): Promise<T> {
    if (this.queues.waiting(propertyId, connectionId) >= WAITING_PER_CONNECTION) throw tooMany()
    const deadline = Date.now() + PATIENCE
    const queue = this.queues.of(propertyId)
    await waitForTurn(queue.enter(connectionId), { ms: PATIENCE, late: busy })
    try {
      return await work(deadline)
    } catch (error) {
      throw isLockTimeout(error) ? busy() : error
    } finally {
      queue.leave(connectionId)
    }
  }
}
