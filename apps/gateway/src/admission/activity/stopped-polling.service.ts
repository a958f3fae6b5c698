import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { ActivityStore } from './activity.store.js'
import { countSilentWith, silentConnections } from './silence-metrics.js'

/** Exports the number of silent connections; while the database is unavailable, the last known one. */
@Injectable()
export class Silence implements OnModuleInit {
  constructor(
    private readonly store: ActivityStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    countSilentWith(() =>
      this.count().catch((err: unknown) => this.log.warn({ err }, 'silent connections were not counted')),
    )
  }

  private async count(): Promise<void> {
    silentConnections.set(await this.store.countSilent())
  }
}
