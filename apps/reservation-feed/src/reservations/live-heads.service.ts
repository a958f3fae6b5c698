import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { LiveCache, NotificationChannel } from '@connectivity/database/notifications'
import { ChangeStream } from '@connectivity/service-kit/http'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { FeedPageStore, type PageHead } from './feed-page.store.js'

const CHANNEL = 'feed_heads'

/**
 * Heads of the feeds in memory. Every commit that changes a head notifies all replicas, which drop their copies, and
 * the gateways, where requests wait for changes. A copy may be older than the last commit by as long as a notification
 * takes; while the channel is lost, every read goes to the database.
 */
@Injectable()
export class LiveHeads implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly channel: NotificationChannel
  private readonly heads: LiveCache<PageHead>

  constructor(
    private readonly store: FeedPageStore,
    private readonly stream: ChangeStream,
    database: Database,
    @Inject(LOGGER) log: Logger,
  ) {
    this.channel = new NotificationChannel(
      database,
      CHANNEL,
      log,
      (connectionIds) => this.changed(connectionIds),
      () => this.stream.everythingChanged(),
    )
    this.heads = new LiveCache((id) => this.store.head(id), this.channel, { mayServeStale: false })
  }

  onApplicationBootstrap(): void {
    this.channel.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.channel.stop()
  }

  /** The copy in memory; null for a connection without a head; undefined if the database must be read. */
  peek(connectionId: string): PageHead | null | undefined {
    return this.heads.peek(connectionId)
  }

  /** The head after the last commit. */
  read(connectionId: string): Promise<PageHead | null> {
    this.heads.drop(connectionId)
    return this.heads.get(connectionId)
  }

  private changed(connectionIds: string): void {
    for (const id of connectionIds.split(' ')) this.heads.drop(id)
    this.stream.changed(connectionIds)
  }
}
