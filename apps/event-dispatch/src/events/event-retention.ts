import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { EventRetentionStore, RETENTION_BATCH } from './event-retention.store.js'

/** For how long events are kept, days. */
export const RETENTION_DAYS = Symbol('retention days')

const INTERVAL = 10 * 60_000
/** Between two batches, so that a large sweep disturbs nobody, ms. */
const BREATH = 50

/** Drops events older than they are kept, a batch at a time. */
@Injectable()
export class EventRetention implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(
    private readonly store: EventRetentionStore,
    @Inject(RETENTION_DAYS) private readonly days: number,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.sweep().catch((err: unknown) =>
        this.log.warn({ err }, 'old events could not be dropped, trying again later'),
      )
    }, INTERVAL)
    this.timer.unref()
  }

  onModuleDestroy(): void {
    this.isStopped = true
    clearInterval(this.timer)
  }

  /** @returns number of events dropped */
  async sweep(): Promise<number> {
    let dropped = 0
    for (let batch = RETENTION_BATCH; batch === RETENTION_BATCH && !this.isStopped; await delay(BREATH)) {
      batch = await this.store.drop(this.days)
      dropped += batch
    }
    return dropped
  }
}
