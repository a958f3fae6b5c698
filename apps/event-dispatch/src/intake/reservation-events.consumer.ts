import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseReservationEvent } from '@connectivity/contracts/reservation-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { EventStore } from './event.store.js'

/** Consumes reservation events: stores them in the index and enqueues them for their connection's callback. */
@Controller()
export class ReservationEventsConsumer {
  constructor(private readonly events: EventStore) {}

  @OnBatch('connectivity.reservation-events.v1')
  handle(@Payload() batch: TopicBatch): void {
    this.events.record(
      batch.tx,
      batch
        .parse(parseReservationEvent)
        .map(({ message: { traceparent = null }, value }) => ({ ...value, traceparent })),
    )
  }
}
