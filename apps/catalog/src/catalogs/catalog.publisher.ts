import { Injectable } from '@nestjs/common'
import { catalogEventType, type ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type Topic, topics } from '@connectivity/contracts/topics'
import { enqueue, type Transaction } from '@connectivity/database'

const topic: Topic = 'connectivity.catalogs.v1'
/** Reserve for the record's key and headers within the broker's limit. */
const FRAME_BYTES = 1024

/** A catalog that no message of its topic can hold. A message that causes it becomes a dead letter. */
export class CatalogTooLarge extends RangeError {
  constructor(connectionId: string) {
    super(`the catalog of ${connectionId} is larger than a message may be`)
  }
}

/** Queues catalogs for `connectivity.catalogs.v1`. */
@Injectable()
export class CatalogPublisher {
  /** @throws CatalogTooLarge if a catalog is larger than its topic accepts */
  publish(tx: Transaction, catalogs: readonly ConnectionCatalog[]): void {
    const time = new Date().toISOString()
    const messages = catalogs.map((catalog) => ({ topic, key: catalog.connection_id, value: textOf(catalog, time) }))
    enqueue(tx, messages)
  }
}

function textOf(catalog: ConnectionCatalog, time: string): string {
  const { connection_id, catalog_version } = catalog
  const event = {
    id: `${connection_id}-${catalog_version}`,
    source: '/catalog',
    type: catalogEventType,
    subject: connection_id,
    time,
  }
  const text = cloudEventText(event, JSON.stringify(catalog))
  if (Buffer.byteLength(text) + FRAME_BYTES > topics[topic].maxMessageBytes) {
    throw new CatalogTooLarge(connection_id)
  }
  return text
}
