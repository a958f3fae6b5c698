import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { NotificationChannel } from '@connectivity/database/notifications'
import { Database } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'

const CHANNEL = 'deliveries_due'
/** Time within which commits share one notification to the other processes, ms. */
const COALESCE = 15

/**
 * Signals that deliveries may have become due: at once after a commit of this process, through PostgreSQL's NOTIFY
 * after a commit of another. A signal may get lost with its connection; the dispatcher also polls every second.
 */
@Injectable()
export class DeliverySignals implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly channel: NotificationChannel
  private listener: () => void = () => undefined

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) log: Logger,
  ) {
    this.channel = new NotificationChannel(database, CHANNEL, log, () => this.listener())
  }

  /** @param listener called at every signal; replaces the one before */
  onSignal(listener: () => void): void {
    this.listener = listener
  }

  onApplicationBootstrap(): void {
    this.channel.start()
    this.database.onCommit(DELIVERIES_DUE, () => {
      this.listener()
      this.channel.notifySoon(COALESCE)
    })
  }

  onModuleDestroy(): Promise<void> {
    return this.channel.stop()
  }
}
