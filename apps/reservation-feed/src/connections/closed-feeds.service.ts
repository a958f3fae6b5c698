import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { FeedRowStore } from '../reservations/feed-row.store.js'
import { ConnectionStore } from './connection.store.js'

/** Days for which the rows of a closed connection are kept. */
export const CLOSED_FEED_DAYS = Symbol('days for which feeds of closed connections are kept')

const INTERVAL = 10 * 60_000
/** Rows per statement. */
const BATCH = 1_000

/** Deletes the feeds of connections that have been closed for long enough; their heads stay, so that none comes back. */
@Injectable()
export class ClosedFeeds implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined
  private stopped = false
  private running: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly rows: FeedRowStore,
    @Inject(CLOSED_FEED_DAYS) private readonly days: number,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.running = this.purge().catch((error: unknown) => this.log.warn({ err: error }, 'closed feeds not deleted'))
    }, INTERVAL)
    this.timer.unref()
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer)
    this.stopped = true
    await this.running
  }

  /** @returns number of rows deleted */
  async purge(): Promise<number> {
    let purged = 0
    for (const connectionId of await this.connections.closedFor(this.database, this.days)) {
      purged += await this.purgeOne(connectionId)
    }
    return purged
  }

  private async purgeOne(connectionId: string): Promise<number> {
    let purged = 0
    for (let batch = BATCH; batch === BATCH && !this.stopped; purged += batch) {
      batch = await this.rows.deleteSome(this.database, connectionId, BATCH)
    }
    await this.connections.forgetCatalog(this.database, connectionId)
    this.log.info({ connection_id: connectionId, rows: purged }, 'rows of a closed connection deleted')
    return purged
  }
}
