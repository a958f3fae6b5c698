import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { NotificationChannel, notify } from '@connectivity/database/notifications'
import { Database, type Transaction } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'

const CHANNEL = 'gateway_changes'

/** Kind of a changed row: a credential (by its key id), a connection, an application or a portal link (by its id). */
export type ChangedKind = 'credential' | 'connection' | 'application' | 'portal_link'
type Listener = (kind: ChangedKind, id: string) => void

/** Notifies every replica, when the transaction commits, that cached copies of a row are out of date. */
export function announceChange(tx: Transaction, kind: ChangedKind, id: string): void {
  notify(tx, CHANNEL, `${kind} ${id}`)
}

/**
 * Receives committed changes through PostgreSQL's LISTEN. When the connection was lost, changes may have been missed:
 * a new era begins, in which no earlier copy is trusted.
 */
@Injectable()
export class Changes implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly listeners: Listener[] = []
  private readonly eraListeners: (() => void)[] = []
  private readonly channel: NotificationChannel

  constructor(database: Database, @Inject(LOGGER) log: Logger) {
    this.channel = new NotificationChannel(
      database,
      CHANNEL,
      log,
      (payload) => this.receive(payload),
      () => this.beginEra(),
    )
  }

  /** The current era, null while the LISTEN connection is lost. */
  readonly currentEra = (): number | null => this.channel.currentEra()

  /** Time up to which every change of this era has been received, ms of `performance.now`; 0 if unknown. */
  readonly provenAt = (era: number): number => this.channel.provenAt(era)

  /** Calls the listener for every change of a record, with its kind and id. */
  onChange(listener: Listener): void {
    this.listeners.push(listener)
  }

  /** Calls the listener when anything may have changed, because notifications were missed. */
  onEra(listener: () => void): void {
    this.eraListeners.push(listener)
  }

  onApplicationBootstrap(): void {
    this.channel.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.channel.stop()
  }

  private beginEra(): void {
    for (const listener of this.eraListeners) listener()
  }

  private receive(payload: string): void {
    const [kind, id] = payload.split(' ', 2) as [ChangedKind, string]
    for (const listener of this.listeners) listener(kind, id)
  }
}
