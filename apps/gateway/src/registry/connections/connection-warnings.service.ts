import { Injectable } from '@nestjs/common'
import { Database, type Queryable } from '@connectivity/database'
import type { ConnectionEntity } from './connection.entity.js'
import { presentConnection } from './connection.view.js'
import { KnownPropertyStore } from './known-property.store.js'

/** Connections as operators see them, with warnings. */
@Injectable()
export class ConnectionWarnings {
  constructor(
    private readonly database: Database,
    private readonly known: KnownPropertyStore,
  ) {}

  /** @param on the transaction in which the connection was changed */
  async present(connection: ConnectionEntity, on?: Queryable): Promise<object> {
    return (await this.presentAll([connection], on))[0]!
  }

  /** @returns in the order of the connections */
  async presentAll(connections: readonly ConnectionEntity[], on: Queryable = this.database): Promise<object[]> {
    const known = await this.known.among(
      on,
      connections.map(({ sourcePropertyId }) => sourcePropertyId),
    )
    return connections.map((connection) => presentConnection(connection, known.has(connection.sourcePropertyId)))
  }
}
