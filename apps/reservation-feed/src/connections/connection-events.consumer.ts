import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { latestConnections, parseConnectionEvent } from '@connectivity/contracts/connection-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { lockProperties } from '../projection/property-lock.store.js'
import { ConnectionStore } from './connection.store.js'

/** Consumes the gateway's events about connections. */
@Controller()
export class ConnectionEventsConsumer {
  constructor(private readonly connections: ConnectionStore) {}

  /** Locks the properties exclusively: closing a connection changes which feeds get their bookings. */
  @OnBatch('connectivity.connections.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const given = latestConnections(batch.parse(parseConnectionEvent).map(({ value }) => value))
    if (given.length === 0) return
    await lockProperties(batch.tx, [...new Set(given.map(({ property_id }) => property_id))], 'exclusive')
    await this.connections.save(batch.tx, given)
  }
}
