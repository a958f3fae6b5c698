import { randomUUID } from 'node:crypto'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type Connection, connectionEventType } from '@connectivity/contracts/connection-events'
import type { Topic } from '@connectivity/contracts/topics'
import type { Transaction } from '@connectivity/database/database'
import { enqueue } from '@connectivity/database/outbox'

const TOPIC: Topic = 'connectivity.connections.v1'

/** Publishes a connection to the other services once the transaction commits. Its row must be locked or new. */
export function publishConnection(tx: Transaction, connection: Connection): void {
  const envelope = {
    id: randomUUID(),
    source: '/connectivity/gateway',
    type: connectionEventType,
    subject: connection.connection_id,
    time: new Date().toISOString(),
  }
  const value = cloudEventText(envelope, JSON.stringify(connection))
  enqueue(tx, [{ topic: TOPIC, key: connection.connection_id, value }])
}
