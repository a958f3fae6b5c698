import { Injectable } from '@nestjs/common'
import { catalogEventType, type ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type Topic, topics } from '@connectivity/contracts/topics'
import { enqueue, type Transaction } from '@connectivity/database'

const topic: Topic = 'connectivity.catalogs.v1'
/** Reserve for the record's key and headers within the broker's limit. */
const FRAME_BYTES = 1024

/** Queues catalogs for `connectivity.catalogs.v1`. */
@Injectable()
export class CatalogPublisher {
  /** @throws RangeError if a catalog is larger than its topic accepts; the message that caused it becomes a dead letter */
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
    throw new RangeError(`the catalog of ${connection_id} is larger than a message may be`)
  }
  return text
}
