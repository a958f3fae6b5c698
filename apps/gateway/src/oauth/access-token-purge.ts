import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { AccessTokenStore } from './access-token.store.js'

const INTERVAL = 5 * 60_000

/** Deletes expired tokens; they have been refused since they expired. */
@Injectable()
export class AccessTokenPurge implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly tokens: AccessTokenStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.purge(), INTERVAL)
    this.timer.unref()
  }

  onModuleDestroy(): void {
    clearInterval(this.timer)
  }

  private async purge(): Promise<void> {
    try {
      while ((await this.tokens.purge()) > 0);
    } catch (err) {
      this.log.warn({ err }, 'expired tokens were not deleted')
    }
  }
}
