import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { ActivityStore } from './activity.store.js'
import { countStoppedPollingWith, stoppedPolling } from './stopped-polling-metrics.js'

/** Exports the number of connections that stopped polling; while the database is unavailable, the last known one. */
@Injectable()
export class StoppedPolling implements OnModuleInit {
  constructor(
    private readonly store: ActivityStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    countStoppedPollingWith(() =>
      this.count().catch((err: unknown) => this.log.warn({ err }, 'connections that stopped polling were not counted')),
    )
  }

  private async count(): Promise<void> {
    stoppedPolling.set(await this.store.countStoppedPolling())
  }
}
