import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseBookingEvent } from '@connectivity/contracts/booking-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { noteFreshness } from './feed-metrics.js'
import { Projection } from './projection.service.js'

/** Consumes the booking engine's events about bookings. */
@Controller()
export class BookingEventsConsumer {
  constructor(private readonly projection: Projection) {}

  @OnBatch('booking.reservations.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const versions = batch
      .parse(parseBookingEvent)
      .map(({ message: { offset, traceparent }, value }) => ({ ...value, offset, traceparent }))
    const shown = await this.projection.project(batch.tx, versions)
    batch.tx.afterCommit(() => noteFreshness(shown, Date.now()))
  }
}
