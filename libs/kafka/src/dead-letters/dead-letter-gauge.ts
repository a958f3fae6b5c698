import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { DeadLetterStore } from './dead-letter.store.js'
import { countOpenWith, openDeadLetters } from '../broker/kafka-metrics.js'

/** Exports the number of dead letters that wait for an operator; keeps the last figures while the database is down. */
@Injectable()
export class DeadLetterGauge implements OnModuleInit {
  constructor(
    private readonly letters: DeadLetterStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    countOpenWith(() => this.count().catch((err: unknown) => this.log.warn({ err }, 'dead letters were not counted')))
  }

  private async count(): Promise<void> {
    const open = await this.letters.openByTopic()
    openDeadLetters.reset()
    for (const [topic, count] of open) openDeadLetters.set({ topic }, count)
  }
}
