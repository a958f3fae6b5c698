import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { FEED_CONFIG, type FeedConfig } from '../config.js'
import { FeedRowStore } from '../projection/feed-row.store.js'
import { ConnectionStore } from './connection.store.js'

/** Deletes the rows of feeds closed for long enough. Their heads stay, so that no late event refills them. */
@Injectable()
export class ClosedFeeds {
  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly rows: FeedRowStore,
    @Inject(FEED_CONFIG) private readonly config: Pick<FeedConfig, 'CLOSED_FEED_DAYS'>,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @returns number of rows deleted, of one connection and at most a batch; 0 when none are left */
  async purge(): Promise<number> {
    for (const connectionId of await this.connections.closedFor(this.database, this.config.CLOSED_FEED_DAYS)) {
      const deleted = await this.rows.deleteSome(this.database, connectionId)
      if (deleted > 0) return deleted
      const isDone = await this.connections.forgetCatalog(this.database, connectionId)
      if (isDone) this.log.info({ connection_id: connectionId }, 'the feed of a closed connection is deleted')
    }
    return 0
  }
}
