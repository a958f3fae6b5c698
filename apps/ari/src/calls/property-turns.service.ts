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
export class PropertyBusy extends ServiceError {
  constructor() {
    const message =
      'Other updates of this property are being applied; send this one again with the same Idempotency-Key.'
    super('service_unavailable', message, retryLater)
  }
}

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
   * @throws PropertyBusy if the wait takes too long; ServiceError 503 `service_unavailable` at once if too many calls
   *   of the connection wait. Nothing was done then
   */
  async take<T>(
    propertyId: string,
    connectionId: string,
    work: (deadline: number) => Promise<T>,
    deadline = Date.now() + PATIENCE,
  ): Promise<T> {
    if (this.waiting(propertyId, connectionId) >= WAITING_PER_CONNECTION) throw tooMany()
    const late = () => new PropertyBusy()
    const limits = { ms: deadline - Date.now(), late }
    try {
      return await this.queues.of(propertyId).run(connectionId, () => work(deadline), limits)
    } catch (error) {
      throw isLockTimeout(error) ? late() : error
    }
  }

  /** Number of the connection's turns that have not begun. */
  waiting(propertyId: string, connectionId: string): number {
    return this.queues.waiting(propertyId, connectionId)
  }
}
