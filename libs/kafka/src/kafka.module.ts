import { type DynamicModule, Module } from '@nestjs/common'
import { BatchConsumer } from './batch-consumer.js'
import { InstanceName } from './instance-name.js'
import { KAFKA_OPTIONS, type KafkaOptions } from './kafka-client.js'
import { OutboxRelay } from './outbox-relay.js'

/** Batches in, outbox out. Needs the service's `Database`, whose migrations create the outbox, fence and dead-letter tables. */
@Module({})
export class KafkaModule {
  static with(options: KafkaOptions): DynamicModule {
    return {
      module: KafkaModule,
      providers: [{ provide: KAFKA_OPTIONS, useValue: options }, InstanceName, BatchConsumer, OutboxRelay],
      exports: [BatchConsumer, InstanceName],
    }
  }
}
