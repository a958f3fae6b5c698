import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { CallbackLanes } from './callback-lanes.js'
import { type DeliveryResult, DeliveryResultStore, type HealthChange } from './delivery-result.store.js'

/** A result that is not yet written. */
interface Pending {
  lanes: CallbackLanes
  result: Omit<DeliveryResult, 'lease'>
}

/** Results of a callback that were written. */
export interface Written {
  lanes: CallbackLanes
  results: Omit<DeliveryResult, 'lease'>[]
  /** Whether the results suspended the callback. */
  suspended: boolean
}

/** Most results per statement. */
const BATCH = 500
/** Pause before retrying a callback locked by another transaction, ms. */
const LOCKED_PAUSE = 20
const TROUBLE_PAUSE = 500

/**
 * Writes results in batches: those that were added in one turn of the event loop, or while the previous statement ran.
 * A result waits only for its own callback's lock. Results of a lost lease are dropped.
 */
@Injectable()
export class DeliveryResults {
  private pending: Pending[] = []
  private running: Promise<void> | null = null
  private listener: (written: Written) => void = () => undefined

  constructor(
    private readonly store: DeliveryResultStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @param listener called for every callback whose results were written */
  onWritten(listener: (written: Written) => void): void {
    this.listener = listener
  }

  /** Adds a result, to be written with the next statement under the lease of its callback. */
  add(lanes: CallbackLanes, result: Omit<DeliveryResult, 'lease'>): void {
    this.pending.push({ lanes, result })
    this.running ??= this.run()
  }

  /** Resolves when everything added so far is written or dropped. */
  async settled(): Promise<void> {
    await this.running
  }

  private async run(): Promise<void> {
    // Waits one turn of the event loop, so that results that end together are written together.
    await delay(0)
    while (this.pending.length > 0) {
      const batch = this.pending.splice(0, BATCH).filter(({ lanes }) => !lanes.isLost)
      const left = await this.write(batch)
      this.pending.unshift(...left)
      if (left.length > 0 && left.length === this.pending.length) await delay(LOCKED_PAUSE)
    }
    this.running = null
  }

  /** @returns the results that could not be written yet */
  private async write(batch: readonly Pending[]): Promise<Pending[]> {
    const byLanes = Map.groupBy(batch, ({ lanes }) => lanes)
    const healths = [...byLanes.keys()].flatMap(healthOf)
    const results = batch.map(({ lanes, result }) => ({ ...result, lease: lanes.lease }))
    const written = await this.store.write(results, healths).catch(async (err: unknown) => {
      this.log.warn({ err }, 'delivery results could not be written, trying again')
      await delay(TROUBLE_PAUSE)
      return new Map<string, boolean>()
    })
    const left: Pending[] = []
    for (const [lanes, entries] of byLanes) {
      const suspended = written.get(lanes.lease.connectionId)
      if (suspended === undefined) {
        restoreHealth(lanes, healths)
        left.push(...entries)
      } else this.listener({ lanes, results: entries.map(({ result }) => result), suspended })
    }
    return left
  }
}

function healthOf(lanes: CallbackLanes): HealthChange[] {
  const { breaker, target, lease } = lanes
  const health = breaker && lanes.health.take(performance.now(), breaker)
  return health ? [{ ...health, lease, revision: target!.revision }] : []
}

function restoreHealth({ lease, health, target }: CallbackLanes, healths: readonly HealthChange[]): void {
  const taken = healths.find((one) => one.lease === lease)
  if (taken && taken.revision === target?.revision) health.restore(taken)
}
