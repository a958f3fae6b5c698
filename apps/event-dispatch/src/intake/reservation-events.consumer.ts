import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseReservationEvent } from '@connectivity/contracts/reservation-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/topic-batch'
import { EventStore } from './event.store.js'

/** Reservation events in: filed in the index, and on their way to the callback of their connection. */
@Controller()
export class ReservationEventsConsumer {
  constructor(private readonly events: EventStore) {}

  @OnBatch('connectivity.reservation-events.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    await this.events.record(
      batch.tx,
      batch
        .parse(parseReservationEvent)
        .map(({ message: { traceparent = null }, value }) => ({ ...value, traceparent })),
    )
  }
}
