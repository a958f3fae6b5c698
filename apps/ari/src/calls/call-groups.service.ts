import { Injectable } from '@nestjs/common'
import { isLockTimeout } from '@connectivity/database'
import type { Answer } from '@connectivity/mutations'
import { toServiceError } from '@connectivity/service-kit/http'
import { Gathering } from '@connectivity/service-kit/work'
import { Bundle } from './bundle.js'
import type { Call } from '../writing/call.js'
import type { Outcome } from '../writing/group-judgement.js'
import { GroupWriter } from '../writing/group-writer.service.js'
import type { Locking } from '../cells/property.store.js'
import {
  PATIENCE,
  propertyBusy,
  PropertyTurns,
  tooMany,
  UpdateTimeout,
  WAITING_PER_CONNECTION,
} from './property-turns.service.js'
import { WriterPlaces } from './writer-places.service.js'

/** Most calls of one group: some milliseconds of this process and of PostgreSQL. */
const CALLS_OF_GROUP = 64
/** Longest time for which a group waits for as many calls as the last one had, ms. */
const COMPANY = 5

/** Whether the database is unreachable, so that trying the calls one by one would only take longer. */
const isOutage = (error: unknown): boolean =>
  !isLockTimeout(error) && toServiceError(error).code === 'service_unavailable'

/**
 * Applies small calls in groups: while one group is applied, calls for any properties are collected for the next. The
 * calls of a connection form a bundle, which takes the connection's turn at its property. A bundle whose property is
 * locked, by a large call or another replica, leaves the group and waits for the property alone.
 */
@Injectable()
export class CallGroups {
  /** By connection: the bundle that its next small call joins. */
  private readonly open = new Map<string, Bundle>()
  private readonly groups: Gathering<Bundle, void>

  constructor(
    private readonly turns: PropertyTurns,
    private readonly places: WriterPlaces,
    private readonly writer: GroupWriter,
  ) {
    const size = ({ calls }: Bundle) => calls.length
    const rules = { batches: 1, company: COMPANY, most: CALLS_OF_GROUP, size }
    this.groups = new Gathering(rules, (bundles) => this.applyTogether(bundles))
  }

  /**
   * Applies a small call after every earlier one of its connection.
   * @throws ServiceError 503 `service_unavailable` if the wait takes too long, or at once if too many calls of the
   *   connection wait; nothing was done then. 409 and 422 as `answerOnce`
   */
  async apply(call: Call): Promise<Answer & { replayed: boolean }> {
    const { propertyId, connectionId } = call.catalog
    const known = this.open.get(connectionId)
    const waiting = known?.calls.length ?? this.turns.waiting(propertyId, connectionId)
    if (waiting >= WAITING_PER_CONNECTION) throw tooMany()
    const bundle = known ?? new Bundle(call.catalog, call.mutation.applicationId)
    const { promise, resolve, reject } = Promise.withResolvers<Answer & { replayed: boolean }>()
    bundle.calls.push({ ...call, deadline: Date.now() + PATIENCE, resolve, reject })
    if (known) this.groups.grown()
    else void this.run(bundle)
    return promise
  }

  /** Closes the open bundle: later calls of the connection wait for the current turn to end. */
  close(connectionId: string): void {
    this.open.delete(connectionId)
  }

  /** Takes turns until every call of the bundle is settled. Other calls join it until its first group begins. */
  private async run(bundle: Bundle): Promise<void> {
    const { propertyId, connectionId } = bundle.property
    this.open.set(connectionId, bundle)
    while (bundle.calls.length > 0) {
      try {
        const { deadline } = bundle.calls[0]!
        await this.turns.take(propertyId, connectionId, () => this.applyBundle(bundle), deadline)
      } catch (error) {
        // Another turn is the last in line: calls of the bundle would be applied after others that arrived later.
        const isLast = this.open.get(connectionId) === bundle
        if (error instanceof UpdateTimeout && isLast) bundle.refuseLate(error)
        else bundle.refuse(error)
      }
    }
    this.closeBundle(bundle)
  }

  private closeBundle(bundle: Bundle): void {
    const { connectionId } = bundle.property
    if (this.open.get(connectionId) === bundle) this.close(connectionId)
  }

  private async applyBundle(bundle: Bundle): Promise<void> {
    await this.groups.add(bundle)
    if (bundle.calls.length === 0) return
    const { deadline } = bundle.calls[0]!
    await this.places.take(bundle.applicationId, deadline, () => this.insist(bundle, { ...bundle.property, deadline }))
  }

  /** Applies all calls in one transaction. Calls of busy properties stay in their bundles; if it fails, all do. */
  private async applyTogether(bundles: readonly Bundle[]): Promise<void[]> {
    for (const bundle of bundles) this.closeBundle(bundle)
    const calls = bundles.flatMap((bundle) => bundle.calls)
    const outcomes = await this.writer.apply(calls, null).catch((error: unknown): Outcome[] => {
      if (isOutage(error)) throw error
      return calls.map(() => 'busy')
    })
    return bundles.map((bundle) => bundle.settle(outcomes.splice(0, bundle.calls.length)))
  }

  /** Waits for the property. If the bundle cannot be applied as a whole, its calls are applied one by one. */
  private async insist(bundle: Bundle, locking: Locking): Promise<void> {
    const outcomes = await this.writer.apply(bundle.calls, locking).catch((error: unknown) => {
      if (isOutage(error) || isLockTimeout(error) || bundle.calls.length === 1) throw error
      return this.oneByOne(bundle, locking)
    })
    bundle.settle(outcomes)
  }

  private async oneByOne({ calls }: Bundle, locking: Locking): Promise<Outcome[]> {
    const outcomes: Outcome[] = []
    for (const call of calls) {
      const alone = this.writer.apply([call], { ...locking, deadline: call.deadline })
      const [outcome] = await alone.catch((error: unknown): Outcome[] => [
        { refusal: isLockTimeout(error) ? propertyBusy() : error },
      ])
      outcomes.push(outcome!)
    }
    return outcomes
  }
}
