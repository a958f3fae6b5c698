import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { Counter } from 'prom-client'
import { ARI_CONFIG, type AriConfig } from '../config.js'
import { type Day, today } from '../calendar/calendar.js'
import { PruningStore } from './pruning.store.js'

const MINUTE = 60_000

const prunedTotal = new Counter({
  name: 'connectivity_ari_pruned_days_total',
  help: 'Stored days deleted because they have passed.',
})

/** Deletes days some days after they have passed by the property's calendar. */
@Injectable()
export class Pruning implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly interval: number
  private readonly loop: BackgroundLoop

  constructor(
    private readonly store: PruningStore,
    @Inject(ARI_CONFIG) private readonly config: Pick<AriConfig, 'PAST_DAYS_KEPT' | 'PRUNING_INTERVAL_MINUTES'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    this.interval = config.PRUNING_INTERVAL_MINUTES * MINUTE
    this.loop = BackgroundLoop.every(
      this.interval,
      () => this.run(),
      (err) => log.warn({ err }, 'past days could not be deleted, the next run tries again'),
    )
  }

  onApplicationBootstrap(): void {
    this.loop.start(this.interval)
  }

  /** Resolves when the running batch has ended. */
  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /**
   * Continues with the next property after an error; the next run tries again.
   * @param now milliseconds since the epoch
   * @returns number of stored days deleted
   */
  async run(now = Date.now()): Promise<number> {
    let pruned = 0
    const count = (deleted: number) => {
      pruned += deleted
      prunedTotal.inc(deleted)
    }
    for (const { propertyId, timezone } of await this.store.properties()) {
      const first = today(timezone, now) - this.config.PAST_DAYS_KEPT
      await this.prune(propertyId, first, count).catch((err: unknown) =>
        this.log.warn({ err, property_id: propertyId }, 'past days of a property could not be deleted'),
      )
    }
    if (pruned > 0) this.log.info({ pruned }, 'past days deleted')
    return pruned
  }

  private async prune(propertyId: string, first: Day, count: (deleted: number) => void): Promise<void> {
    for (let more = true; more && !this.loop.isStopping;) {
      const batch = await this.store.prune(propertyId, first)
      count(batch.deleted)
      more = batch.more
    }
  }
}
