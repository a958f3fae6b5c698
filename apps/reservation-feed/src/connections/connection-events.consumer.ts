import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseConnectionEvent } from '@connectivity/contracts/connection-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/topic-batch'
import { ConnectionStore } from './connection.store.js'

/** What the gateway says about connections. */
@Controller()
export class ConnectionEventsConsumer {
  constructor(private readonly connections: ConnectionStore) {}

  @OnBatch('connectivity.connections.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    await this.connections.save(
      batch.tx,
      batch.parse(parseConnectionEvent).map(({ value }) => value),
    )
  }
}
