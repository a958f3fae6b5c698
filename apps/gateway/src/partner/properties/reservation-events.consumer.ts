import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { openCloudEvent } from '@connectivity/contracts/cloud-event'
import { MessageFields } from '@connectivity/contracts/message-fields'
import { OnBatch, type TopicBatch } from '@connectivity/kafka/consuming'
import { PropertyStore } from './property.store.js'

/** The only parts of an event that the gateway reads: its connection and its time. */
function readOccurrence(value: Uint8Array): { connectionId: string; at: string } {
  const event = MessageFields.of(openCloudEvent(value), '/data')
  return {
    connectionId: event.id('property_id'),
    at: event.timestamp('occurred_at') ?? event.fail('occurred_at', 'is required'),
  }
}

/** Records the time of the latest change of each connection. */
@Controller()
export class ReservationEventsConsumer {
  constructor(private readonly properties: PropertyStore) {}

  @OnBatch('connectivity.reservation-events.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const latest = new Map<string, string>()
    for (const { value } of batch.parse(readOccurrence)) {
      if (value.at > (latest.get(value.connectionId) ?? '')) latest.set(value.connectionId, value.at)
    }
    if (latest.size > 0) await this.properties.recordChanges(batch.tx, latest)
  }
}
