import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { ARI_CONFIG, type AriConfig } from '../config.js'
import { prunedTotal } from './ari-metrics.js'
import { today } from './calendar.js'
import { PruningStore } from './pruning.store.js'

const MINUTE = 60_000

/** Deletes days some days after they have passed by the property's calendar. */
@Injectable()
export class Pruning implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined
  private stopped = false

  constructor(
    private readonly store: PruningStore,
    @Inject(ARI_CONFIG) private readonly config: Pick<AriConfig, 'PAST_DAYS_KEPT' | 'PRUNING_INTERVAL_MINUTES'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const interval = this.config.PRUNING_INTERVAL_MINUTES * MINUTE
    this.timer = setInterval(() => void this.run().catch((err: unknown) => this.failed(err)), interval)
    this.timer.unref()
  }

  onModuleDestroy(): void {
    this.stopped = true
    clearInterval(this.timer)
  }

  /**
   * @param now milliseconds since the epoch
   * @returns number of stored days deleted
   */
  async run(now = Date.now()): Promise<number> {
    let pruned = 0
    for (const { propertyId, timezone } of await this.store.properties()) {
      const first = today(timezone, now) - this.config.PAST_DAYS_KEPT
      for (let more = true; more && !this.stopped;) {
        const batch = await this.store.prune(propertyId, first)
        pruned += batch.deleted
        more = batch.more
      }
    }
    prunedTotal.inc(pruned)
    if (pruned > 0) this.log.info({ pruned }, 'days that have passed were deleted')
    return pruned
  }

  private failed(err: unknown): void {
    this.log.warn({ err }, 'days that have passed could not be deleted, the next run tries again')
  }
}
