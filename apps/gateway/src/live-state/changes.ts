import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'

const CHANNEL = 'gateway_changes'
const RECONNECT_AFTER = 200
/** A connection that is gone without a word is noticed by asking it something, ms. */
const HEARTBEAT = 5_000

/** What a change touches: a credential by its key id, a connection or an application by its id. */
export type ChangedKind = 'credential' | 'connection' | 'application'
type Listener = (kind: ChangedKind, id: string) => void

/** Tells every replica, when the transaction commits, that cached copies of a thing are out of date. */
export async function announceChange(tx: Pick<Transaction, 'query'>, kind: ChangedKind, id: string): Promise<void> {
  await tx.query('SELECT pg_notify($1, $2)', [CHANNEL, `${kind} ${id}`])
}

/**
 * Hears of committed changes through PostgreSQL's LISTEN. Whenever the connection was lost, changes may have been
 * missed: a new era begins, in which nothing cached before is trusted.
 */
@Injectable()
export class Changes implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly listeners: Listener[] = []
  private readonly stopping = new AbortController()
  private listening = false
  private era = 0
  private watch: Promise<void> | undefined

  constructor(
    private readonly database: Database,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** The current era, null while changes go unheard. */
  readonly currentEra = (): number | null => (this.listening ? this.era : null)

  onChange(listener: Listener): void {
    this.listeners.push(listener)
  }

  onApplicationBootstrap(): void {
    this.watch = this.watchForEver()
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort()
    await this.watch
  }

  private async watchForEver(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.listenUntilLost().catch((err: unknown) =>
        this.log.warn({ err }, 'changes go unheard, listening again'),
      )
      this.listening = false
      await delay(RECONNECT_AFTER, undefined, { signal: this.stopping.signal }).catch(() => undefined)
    }
  }

  private async listenUntilLost(): Promise<void> {
    const session = await this.database.session()
    const { promise: lost, resolve: onLost } = Promise.withResolvers<void>()
    for (const event of ['end', 'error']) session.once(event, () => onLost())
    this.stopping.signal.addEventListener('abort', () => onLost(), { once: true })
    // Stopped while connecting: the signal does not come again.
    if (this.stopping.signal.aborted) onLost()
    session.on('notification', ({ payload }) => this.hear(payload ?? ''))
    const beat = heartbeat(session, onLost)
    try {
      await session.query(`LISTEN ${CHANNEL}`)
      this.era += 1
      this.listening = !this.stopping.signal.aborted
      await lost
    } finally {
      this.listening = false
      clearInterval(beat)
      // Not awaited: a connection that is gone without a word would never say goodbye.
      void session.end().catch(() => undefined)
    }
  }

  private hear(payload: string): void {
    const [kind, id] = payload.split(' ', 2) as [ChangedKind, string]
    for (const listener of this.listeners) listener(kind, id)
  }
}

type Session = Awaited<ReturnType<Database['session']>>

function heartbeat(session: Session, onLost: () => void): NodeJS.Timeout {
  let answered = true
  return setInterval(() => {
    if (!answered) return onLost()
    answered = false
    session.query('SELECT 1').then(() => (answered = true), onLost)
  }, HEARTBEAT)
}
