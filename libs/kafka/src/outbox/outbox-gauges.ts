import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { countParkedWith, countWaitingWith, parkedMessages, waitingMessages } from '../broker/kafka-metrics.js'
import { countParked, countWaiting } from './outbox-rows.store.js'

/**
 * Exports the number of outbox messages that wait for the broker, and of parked ones by reason. Keeps the last figures
 * while the database is down.
 */
@Injectable()
export class OutboxGauges implements OnModuleInit {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const orWarn = (err: unknown) => this.log.warn({ err }, 'messages of the outbox were not counted')
    countParkedWith(() => this.parked().catch(orWarn))
    countWaitingWith(() => this.waiting().catch(orWarn))
  }

  private async parked(): Promise<void> {
    const parked = await countParked(this.database)
    parkedMessages.reset()
    for (const { topic, reason, count } of parked) parkedMessages.set({ topic, reason }, count)
  }

  private async waiting(): Promise<void> {
    waitingMessages.set(await countWaiting(this.database))
  }
}
