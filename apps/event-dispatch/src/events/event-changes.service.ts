import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { NotificationChannel } from '@connectivity/database/notifications'
import { ChangeStream } from '@connectivity/service-kit/http'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'

const CHANNEL = 'event_index'

/**
 * Notifies the gateways, where requests wait, of the connections in which a commit has added events or changed states that
 * partners can filter by.
 */
@Injectable()
export class EventChanges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly channel: NotificationChannel

  constructor(stream: ChangeStream, database: Database, @Inject(LOGGER) log: Logger) {
    this.channel = new NotificationChannel(
      database,
      CHANNEL,
      log,
      (connectionIds) => stream.changed(connectionIds),
      () => stream.everythingChanged(),
    )
  }

  onApplicationBootstrap(): void {
    this.channel.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.channel.stop()
  }
}
