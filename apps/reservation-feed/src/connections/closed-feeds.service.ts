import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { FeedRowStore } from '../projection/feed-row.store.js'
import { ConnectionStore } from './connection.store.js'

/** Days for which the rows of a closed connection are kept. */
export const CLOSED_FEED_DAYS = Symbol('days for which feeds of closed connections are kept')

/** Deletes the rows of feeds closed for long enough. Their heads stay, so that no late event refills them. */
@Injectable()
export class ClosedFeeds {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly rows: FeedRowStore,
    @Inject(CLOSED_FEED_DAYS) private readonly days: number,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns number of rows deleted, of one connection and at most a batch; 0 when none are left */
  async purge(): Promise<number> {
    for (const connectionId of await this.connections.closedFor(this.database, this.days)) {
      const deleted = await this.rows.deleteSome(this.database, connectionId)
      if (deleted > 0) return deleted
      const isDone = await this.connections.forgetCatalog(this.database, connectionId)
      if (isDone) this.log.info({ connection_id: connectionId }, 'the feed of a closed connection is deleted')
    }
    return 0
  }
}
