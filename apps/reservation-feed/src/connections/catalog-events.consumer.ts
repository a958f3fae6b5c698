import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { parseCatalogEvent } from '@connectivity/contracts/catalog-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { CatalogArrival } from './catalog-arrival.service.js'

/** Consumes the catalog's events: a connection's view of its property. */
@Controller()
export class CatalogEventsConsumer {
  constructor(private readonly arrival: CatalogArrival) {}

  @OnBatch('connectivity.catalogs.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    await this.arrival.take(
      batch.tx,
      batch.parse(parseCatalogEvent).map(({ value }) => value),
    )
  }
}
