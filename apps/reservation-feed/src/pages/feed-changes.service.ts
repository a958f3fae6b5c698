import { Inject, Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { StreamedChannel } from '@connectivity/database/notifications'
import { WatchedLog } from '@connectivity/kafka/topics'
import { ChangeStream } from '@connectivity/service-kit/http'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'

/** The stream is current while its last proof that every notification has arrived is younger, ms. */
const PROOF = 2_500

/**
 * Notifies the gateways, where requests wait, of every commit that changes the head of a feed, and says whether they
 * have been notified of every commit so far.
 */
@Injectable()
export class FeedChanges extends StreamedChannel {
  constructor(
    stream: ChangeStream,
    private readonly bookings: WatchedLog,
    database: Database,
    @Inject(LOGGER) log: Logger,
  ) {
    super(stream, database, 'feed_heads', log)
    stream.currentWhile(() => this.isCurrent())
  }

  /** Whether every commit until a moment ago has been streamed, and the log of bookings has been applied to its end. */
  private isCurrent(): boolean {
    const era = this.channel.currentEra()
    if (era === null || performance.now() - this.channel.provenAt(era) > PROOF) return false
    return this.bookings.lagMilliseconds() === 0
  }
}
