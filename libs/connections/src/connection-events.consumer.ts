import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { latestConnections, parseConnectionEvent } from '@connectivity/contracts/connection-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { ConnectionStore } from './connection.store.js'

/** Keeps the copy current, for services in which a connection's change has no other effect. */
@Controller()
export class ConnectionEventsConsumer {
  constructor(private readonly connections: ConnectionStore) {}

  @OnBatch('connectivity.connections.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const connections = batch.parse(parseConnectionEvent).map(({ value }) => value)
    await this.connections.save(batch.tx, latestConnections(connections))
  }
}
