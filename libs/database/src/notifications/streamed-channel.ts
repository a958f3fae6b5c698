import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common'
import type { ChangeStream } from '@connectivity/service-kit/http'
import type { Logger } from '@connectivity/service-kit/logging'
import type { Database } from '../database.js'
import { NotificationChannel } from './notification-channel.js'

/** Streams the notifications of one PostgreSQL channel, ids of changed connections, to the gateways. */
export abstract class StreamedChannel implements OnApplicationBootstrap, OnModuleDestroy {
  protected readonly channel: NotificationChannel

  /** @param name an SQL identifier */
  constructor(stream: ChangeStream, database: Database, name: string, log: Logger) {
    this.channel = new NotificationChannel(
      database,
      name,
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
