import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { isLockTimeout } from '@connectivity/database'
import { FairQueues } from '@connectivity/service-kit/work'

/**
 * Connections of one property whose calls are in the database at once: one holds the property, the others queue. Fewer
 * than the places of large calls, so that a property leaves one to others.
 */
const CONNECTIONS_AT_ONCE = 3
/** Calls of one connection that may wait: enough for one application at four gateways. Each call holds up to 1 MiB. */
export const WAITING_PER_CONNECTION = 32
/** Longest wait for a turn and the locks together, ms; the gateway gives up after 10 s. */
export const PATIENCE = 7_000
const RETRY_AFTER_SECONDS = 2

const retryLater = { retryAfterSeconds: RETRY_AFTER_SECONDS }

/** 503: the call's deadline has passed. Nothing was done. */
export class UpdateTimeout extends ServiceError {
  /** @param others what the call has waited for, such as `Other updates of this property` */
  constructor(others: string) {
    const message = `${others} are being applied; send this one again with the same Idempotency-Key.`
    super('service_unavailable', message, retryLater)
  }
}

/** Updates of the same property took the call's time. */
export const propertyBusy = (): UpdateTimeout => new UpdateTimeout('Other updates of this property')

/** Updates of any properties took the call's time. */
export const writersBusy = (): UpdateTimeout => new UpdateTimeout('Other updates')

/** 503: too many calls of the connection wait already. */
export const tooMany = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    `${WAITING_PER_CONNECTION} calls of this connection wait already; await their answers, then send this one again with the same Idempotency-Key.`,
    retryLater,
  )

/**
 * Gives turns at a property: a connection has one at a time, in the order of arrival, and connections take turns. The
 * database runs calls for one property one at a time in any case; here they wait without a database connection, which
 * other properties may need. Across replicas, `PropertyStore.lock` decides the order.
 */
@Injectable()
export class PropertyTurns {
  /** By property; the names in a queue are connections. */
  private readonly queues = new FairQueues({
    mayBegin: (_connectionId, own, all) => own === 0 && all < CONNECTIONS_AT_ONCE,
  })

  /**
   * @param work gets the time by which it must have its locks, ms since 1970
   * @param deadline latest time to wait for the turn and the locks, ms since 1970
   * @throws UpdateTimeout if the wait takes too long; ServiceError 503 `service_unavailable` at once if too many calls
   *   of the connection wait. Nothing was done then
   */
  async take<T>(
    propertyId: string,
    connectionId: string,
    work: (deadline: number) => Promise<T>,
    deadline = Date.now() + PATIENCE,
  ): Promise<T> {
    if (this.waiting(propertyId, connectionId) >= WAITING_PER_CONNECTION) throw tooMany()
    const limits = { ms: deadline - Date.now(), late: propertyBusy }
    try {
      return await this.queues.of(propertyId).run(connectionId, () => work(deadline), limits)
    } catch (error) {
      throw isLockTimeout(error) ? propertyBusy() : error
    }
  }

  /** Number of the connection's turns that have not begun. */
  waiting(propertyId: string, connectionId: string): number {
    return this.queues.waiting(propertyId, connectionId)
  }
}
