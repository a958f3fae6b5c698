import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { ActivityStore } from './activity.store.js'
import { countSilentWith, silentConnections } from './silence-metrics.js'

/** Exports how many partners have stopped polling; without a database the last figure stays. */
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
