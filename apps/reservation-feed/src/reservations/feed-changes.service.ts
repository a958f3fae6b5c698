import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { NotificationChannel } from '@connectivity/database/notifications'
import { WatchedLog } from '@connectivity/kafka/topics'
import { ChangeStream } from '@connectivity/service-kit/http'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'

const CHANNEL = 'feed_heads'

/** Age of the last proof that every notification has arrived from which the stream is not current, ms. */
const PROOF = 2_500

/**
 * Streams the changes of the feeds to the gateways, where requests wait for them. Every commit that changes a head
 * notifies all replicas.
 */
@Injectable()
export class FeedChanges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly channel: NotificationChannel

  constructor(
    stream: ChangeStream,
    private readonly bookings: WatchedLog,
    database: Database,
    @Inject(LOGGER) log: Logger,
  ) {
    this.channel = new NotificationChannel(
      database,
      CHANNEL,
      log,
      (connectionIds) => stream.changed(connectionIds),
      () => stream.everythingChanged(),
    )
    stream.currentWhile(() => this.isCurrent())
  }

  onApplicationBootstrap(): void {
    this.channel.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.channel.stop()
  }

  /** Whether every commit until a moment ago has been streamed, and the feed has applied the log of bookings to its end. */
  private isCurrent(): boolean {
    const era = this.channel.currentEra()
    if (era === null || performance.now() - this.channel.provenAt(era) > PROOF) return false
    return this.bookings.lagMilliseconds() === 0
  }
}
