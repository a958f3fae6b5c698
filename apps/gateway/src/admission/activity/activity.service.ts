import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { ActivityStore } from './activity.store.js'

/** Interval between writes to the database, ms. */
const FLUSH_EVERY = 2_000

/** Remembers last polls and last uses without a write per request; a crash loses a few seconds of them. */
@Injectable()
export class Activity implements OnApplicationBootstrap, OnModuleDestroy {
  private polls = new Map<string, number>()
  private uses = new Map<string, number>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly store: ActivityStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The partner was served a page of this connection. */
  polled(connectionId: string): void {
    this.polls.set(connectionId, Date.now())
  }

  /** A caller authenticated with the credential. */
  used(credentialId: string): void {
    this.uses.set(credentialId, Date.now())
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.flush(), FLUSH_EVERY)
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }

  private async flush(): Promise<void> {
    const [polls, uses] = [this.polls, this.uses]
    this.polls = new Map()
    this.uses = new Map()
    try {
      if (polls.size > 0) await this.store.recordPolls(polls)
      if (uses.size > 0) await this.store.recordUses(uses)
    } catch (err) {
      // No retry: the next poll or use notes the time again.
      this.log.warn({ err }, 'last polls and uses were not recorded')
    }
  }
}
