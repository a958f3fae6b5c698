import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { type Connection, connectionEventType } from '@connectivity/contracts/connection-events'
import type { Topic } from '@connectivity/contracts/topics'
import { enqueue, type Transaction } from '@connectivity/database'
import type { ConnectionEntity } from './connection.entity.js'

const topic: Topic = 'connectivity.connections.v1'

/** Queues connections for the other services. */
@Injectable()
export class ConnectionPublisher {
  /** The connection must be new or locked: its versions are published in the order of insertion. */
  publish(tx: Transaction, connection: ConnectionEntity): void {
    enqueue(tx, [{ topic, key: connection.connectionId, value: textOf(connection) }])
  }
}

function textOf(connection: ConnectionEntity): string {
  const message: Connection = {
    connection_id: connection.connectionId,
    application_id: connection.applicationId,
    property_id: connection.sourcePropertyId,
    external_property_id: connection.externalPropertyId,
    environment: connection.environment,
    state: connection.state,
    version: connection.version,
  }
  const envelope = {
    id: randomUUID(),
    source: '/connectivity/gateway',
    type: connectionEventType,
    subject: connection.connectionId,
    time: new Date().toISOString(),
  }
  return cloudEventText(envelope, JSON.stringify(message))
}
