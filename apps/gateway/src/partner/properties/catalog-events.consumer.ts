import { Controller } from '@nestjs/common'
import { Payload } from '@nestjs/microservices'
import { latestCatalogs, parseCatalogEvent } from '@connectivity/contracts/catalog-events'
import { OnBatch, type TopicBatch } from '@connectivity/kafka/consuming'
import { announceChange } from '../../live/changes.service.js'
import { EvidenceStore } from '../../registry/production/evidence.store.js'
import { summarize } from './property.js'
import { PropertyStore } from './property.store.js'

/** Keeps the gateway's copy of each connection's property facts and mapping counts. */
@Controller()
export class CatalogEventsConsumer {
  constructor(
    private readonly properties: PropertyStore,
    private readonly evidence: EvidenceStore,
  ) {}

  @OnBatch('connectivity.catalogs.v1')
  async handle(@Payload() batch: TopicBatch): Promise<void> {
    const summaries = latestCatalogs(batch.parse(parseCatalogEvent).map(({ value }) => value)).map(summarize)
    if (summaries.length === 0) return
    const changed = await this.properties.keep(batch.tx, summaries)
    await this.evidence.forgetCompleteMappings(batch.tx, changed)
    for (const connectionId of changed) announceChange(batch.tx, 'connection', connectionId)
  }
}
