import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'

const EVERY = 60_000

/** Deletes one batch of what has had its time. @returns number of rows deleted, 0 when there is nothing more */
export type PurgeBatch = () => Promise<number>

/** One timer for everything of a service that is deleted once its time is over. */
@Injectable()
export class Purging implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly purges = new Map<string, PurgeBatch>()
  private timer: NodeJS.Timeout | undefined
  private stopping = false

  constructor(@Inject(LOGGER) private readonly log: Logger) {}

  /** @param what for the log, such as `expired tokens` */
  add(what: string, batch: PurgeBatch): void {
    this.purges.set(what, batch)
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.run(), EVERY)
    this.timer.unref()
  }

  onModuleDestroy(): void {
    this.stopping = true
    clearInterval(this.timer)
  }

  /** Deletes all that is due, one kind after the other; what fails is tried again the next time. */
  async run(): Promise<void> {
    for (const [what, batch] of this.purges) {
      try {
        while (!this.stopping && (await batch()) > 0);
      } catch (err) {
        this.log.warn({ err }, `${what} were not deleted`)
      }
    }
  }
}
