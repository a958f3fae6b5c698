import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { isLockTimeout } from '@connectivity/database'
import { FairQueues } from '@connectivity/service-kit/work'
import { ActiveApplications } from './active-applications.js'

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
/** Longest rest of a connection after a large call, ms. */
const LONGEST_REST = 1_000

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
 *
 * While other applications are active, a connection rests after a large call for as long as the call took, up to a
 * second: a neighbour that writes large calls without pause takes the processors of the database from all others.
 */
@Injectable()
export class PropertyTurns {
  /** By property; the names in a queue are connections. */
  private readonly queues = new FairQueues({
    mayBegin: (connectionId, own, all) => own === 0 && all < CONNECTIONS_AT_ONCE && !this.resting.has(connectionId),
  })
  /** Connections whose next turn has to wait. */
  private readonly resting = new Set<string>()
  private readonly active = new ActiveApplications()

  /**
   * @param work gets the time by which it must have its locks, ms since 1970
   * @param deadline latest time to wait for the turn and the locks, ms since 1970
   * @throws PropertyBusy if the wait takes too long; ServiceError 503 `service_unavailable` at once if too many calls of
   *   the connection wait. Nothing was done then
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

  /**
   * Does the work of a large call when its turn comes, and lets the connection rest afterwards if others are active.
   * @throws as `take`
   */
  async takeLarge<T>(
    { propertyId, connectionId }: Readonly<Record<'propertyId' | 'connectionId', string>>,
    applicationId: string,
    work: (deadline: number) => Promise<T>,
  ): Promise<T> {
    this.active.note(applicationId)
    return this.take(propertyId, connectionId, async (deadline) => {
      const begunAt = performance.now()
      try {
        return await work(deadline)
      } finally {
        const took = performance.now() - begunAt
        if (this.active.hasOther(applicationId)) this.rest(propertyId, connectionId, took)
      }
    })
  }

  /** Notes that an application makes a small call. */
  noteSmall(applicationId: string): void {
    this.active.note(applicationId)
  }

  private rest(propertyId: string, connectionId: string, ms: number): void {
    this.resting.add(connectionId)
    setTimeout(
      () => {
        this.resting.delete(connectionId)
        this.queues.advance(propertyId)
      },
      Math.min(ms, LONGEST_REST),
    ).unref()
  }

  /** Number of the connection's turns that have not begun. */
  waiting(propertyId: string, connectionId: string): number {
    return this.queues.waiting(propertyId, connectionId)
  }
}
