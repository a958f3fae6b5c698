import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'

const EVERY = 60_000

/** Deletes one batch of expired rows. @returns number of rows deleted, 0 when none are left */
export type PurgeBatch = () => Promise<number>

/** One timer for everything that a service deletes when its time is over. */
@Injectable()
export class Purging implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly purges = new Map<string, PurgeBatch>()
  private timer: NodeJS.Timeout | undefined
  private stopping = false
  private running: Promise<void> | undefined

  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** @param what for the log, such as `expired tokens` */
  add(what: string, batch: PurgeBatch): void {
    this.purges.set(what, batch)
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), EVERY)
    this.timer.unref()
  }

  /** Resolves when the running batch has ended. */
  async onModuleDestroy(): Promise<void> {
    this.stopping = true
    clearInterval(this.timer)
    await this.running
  }

  /**
   * Deletes everything that is due, one kind after the other. The next run retries what failed. A run that outlasts the
   * interval counts as the next one too.
   */
  run(): Promise<void> {
    this.running ??= this.purgeAll().finally(() => (this.running = undefined))
    return this.running
  }

  private async purgeAll(): Promise<void> {
    for (const [what, batch] of this.purges) {
      try {
        while (!this.stopping && (await batch()) > 0);
      } catch (err) {
        this.log.warn({ err }, `${what} were not deleted`)
      }
    }
  }
}
