import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { countParkedWith, parkedMessages } from './kafka-metrics.js'
import { countParked } from './outbox-rows.js'

/** Shows in the metrics how many messages the outbox keeps back and why; without a database the last figures stay. */
@Injectable()
export class ParkedGauge implements OnModuleInit {
  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    countParkedWith(() =>
      this.count().catch((err: unknown) => this.log.warn({ err }, 'parked messages were not counted')),
    )
  }

  private async count(): Promise<void> {
    const parked = await countParked(this.database.reads)
    parkedMessages.reset()
    for (const { topic, reason, count } of parked) parkedMessages.set({ topic, reason }, count)
  }
}
