import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { latestCatalogs, parseCatalogEvent } from '@connectivity/contracts/catalog-events'
import { OnBatch, TopicBatch } from '@connectivity/kafka/consuming'
import { CatalogStore } from './catalog.store.js'

/** Consumes catalog events: each connection's view of its property. */
@Controller()
export class CatalogEventsConsumer {
  constructor(private readonly catalogs: CatalogStore) {}

  @OnBatch('connectivity.catalogs.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const catalogs = batch.parse(parseCatalogEvent).map(({ value }) => value)
    await this.catalogs.save(batch.tx, latestCatalogs(catalogs))
  }
}
