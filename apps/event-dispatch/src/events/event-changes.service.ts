import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { NotificationChannel } from '@connectivity/database/notification-channel'
import { ChangeStream } from '@connectivity/service-kit/change-stream.routes'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'

const CHANNEL = 'event_index'

/**
 * Passes on to the gateways, where requests wait, of which connections a commit has added events or changed the states
 * that partners can ask for.
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
