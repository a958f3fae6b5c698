import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { ActivityStore } from './activity.store.js'

/** Interval between writes to the database, ms. */
const FLUSH_EVERY = 2_000

/** Remembers last polls and last uses without a write per request; a crash loses a few seconds of them. */
@Injectable()
export class Activity implements OnApplicationBootstrap, OnApplicationShutdown {
  private polls = new Map<string, number>()
  private uses = new Map<string, number>()
  private sights = new Map<string, number>()
  private readonly loop = BackgroundLoop.every(FLUSH_EVERY, () => this.flush())

  constructor(
    private readonly store: ActivityStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Notes that the partner was served a page of this connection. */
  polled(connectionId: string): void {
    this.polls.set(connectionId, Date.now())
  }

  /** Notes that a caller authenticated with the credential. */
  used(credentialId: string): void {
    this.uses.set(credentialId, Date.now())
  }

  /** Notes that a person used the session of this portal link. */
  seen(linkId: string): void {
    this.sights.set(linkId, Date.now())
  }

  onApplicationBootstrap(): void {
    this.loop.start(FLUSH_EVERY)
  }

  /** Runs when the last partner has been answered, before the database closes. */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop()
    await this.flush()
  }

  /** Never rejects. */
  private async flush(): Promise<void> {
    const [polls, uses, sights] = [this.polls, this.uses, this.sights]
    this.polls = new Map()
    this.uses = new Map()
    this.sights = new Map()
    await Promise.all([
      this.record(polls, (times) => this.store.recordPolls(times), this.polls),
      this.record(uses, (times) => this.store.recordUses(times), this.uses),
      this.record(sights, (times) => this.store.recordSights(times), this.sights),
    ])
  }

  /** @param next times for the next flush; times that could not be written are added to it */
  private async record(
    times: Map<string, number>,
    write: (times: Map<string, number>) => Promise<void>,
    next: Map<string, number>,
  ): Promise<void> {
    if (times.size === 0) return
    try {
      await write(times)
    } catch (err) {
      this.log.warn({ err }, 'last polls or uses were not recorded, trying again')
      for (const [id, time] of times) if (!next.has(id)) next.set(id, time)
    }
  }
}
