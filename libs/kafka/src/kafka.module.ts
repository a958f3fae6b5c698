import { type DynamicModule, Module } from '@nestjs/common'
import { purge } from '@connectivity/database'
import { BatchConsumer } from './consuming/batch-consumer.js'
import { DeadLetterGauge } from './dead-letters/dead-letter-gauge.js'
import { DeadLetterReplay } from './dead-letters/dead-letter-replay.service.js'
import { DeadLetterRetentionStore } from './dead-letters/dead-letter-retention.store.js'
import { DeadLetterStore } from './dead-letters/dead-letter.store.js'
import { deadLettersControllerFor } from './dead-letters/dead-letters.controller.js'
import { InstanceName } from './broker/instance-name.js'
import { KAFKA_OPTIONS, type KafkaOptions } from './broker/kafka-client.js'
import { OutboxRelay } from './outbox/outbox-relay.js'
import { OutboxGauges } from './outbox/outbox-gauges.js'

/**
 * Consumes batches, publishes the outbox and serves dead letters to operators. Needs the service's `Database`, whose
 * migrations create the outbox, fence and dead-letter tables.
 */
@Module({})
export class KafkaModule {
  static with(options: KafkaOptions): DynamicModule {
    return {
      module: KafkaModule,
      controllers: [deadLettersControllerFor(options.service)],
      providers: [
        { provide: KAFKA_OPTIONS, useValue: options },
        ...[InstanceName, BatchConsumer, OutboxRelay],
        ...[DeadLetterStore, DeadLetterReplay, DeadLetterRetentionStore, DeadLetterGauge, OutboxGauges],
        purge('settled dead letters', DeadLetterRetentionStore, (store) => store.purge(options.deadLetterDays)),
        purge('open dead letters', DeadLetterRetentionStore, (store) => store.purgeOpen(options.openDeadLetterDays)),
      ],
      exports: [KAFKA_OPTIONS, BatchConsumer, InstanceName, DeadLetterStore],
    }
  }
}
