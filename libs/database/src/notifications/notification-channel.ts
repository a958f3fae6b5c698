import { BackgroundLoop, unlessAborted } from '@connectivity/service-kit/work'
import type { Logger } from '@connectivity/service-kit/logging'
import type { Database } from '../database.js'
import { listen } from './notifications.js'

const RECONNECT_AFTER = 200
/** Interval of the queries that show whether the connection lives, ms. */
const HEARTBEAT = 1_000
/** Time after which a connection that does not answer has been lost, ms. */
const SILENCE = 5_000

type Session = Awaited<ReturnType<Database['session']>>

/**
 * Listens to one PostgreSQL channel on a dedicated connection for as long as the process lives. Notifications are
 * missed while the connection is lost: each connection begins a new era.
 */
export class NotificationChannel {
  private readonly stopping = new AbortController()
  private session: Session | undefined
  private notifying: NodeJS.Timeout | undefined
  private isListening = false
  private era = 0
  private proven = { era: 0, at: 0 }
  private readonly loop = new BackgroundLoop(
    () => this.listenUntilLost(),
    (err) => this.lost(err),
  )

  /**
   * @param name an SQL identifier
   * @param onNotification gets the payload of each notification that another session sent
   * @param onEra called when an era begins: anything may have changed since the last one ended
   */
  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly log: Logger,
    private readonly onNotification: (payload: string) => void,
    private readonly onEra: () => void = () => undefined,
  ) {}

  /** The current era, null while notifications are missed. */
  readonly currentEra = (): number | null => (this.isListening ? this.era : null)

  /** Time up to which every notification of this era has arrived, milliseconds of `performance.now`; 0 if unknown. */
  readonly provenAt = (era: number): number => (this.proven.era === era ? this.proven.at : 0)

  /** Begins to listen, and connects again whenever the connection is lost. */
  start(): void {
    this.loop.start()
  }

  /** Ends the connection. */
  stop(): Promise<void> {
    this.stopping.abort()
    clearTimeout(this.notifying)
    return this.loop.stop()
  }

  /**
   * Notifies the other listeners, without payload, over the channel's own connection. Does nothing while that is lost.
   * @param within time within which calls share one notification, ms
   */
  notifySoon(within: number): void {
    this.notifying ??= setTimeout(() => {
      this.notifying = undefined
      void this.session?.query(`NOTIFY ${this.name}`).catch(() => undefined)
    }, within)
  }

  private prove(at: number): void {
    this.proven = { era: this.era, at }
  }

  private lost(err: unknown): number {
    if (!this.stopping.signal.aborted)
      this.log.warn({ err, channel: this.name }, 'LISTEN connection lost, reconnecting')
    return RECONNECT_AFTER
  }

  /** Queries the session regularly: the database sends all earlier notifications before it answers. */
  private heartbeat(session: Session, onLost: () => void): BackgroundLoop {
    const ask = async () => {
      const askedAt = performance.now()
      await unlessAborted(session.query('SELECT 1'), AbortSignal.timeout(SILENCE))
      if (this.isListening) this.prove(askedAt)
    }
    return BackgroundLoop.every(HEARTBEAT, ask, onLost)
  }

  /** @returns how long to rest before reconnecting, ms */
  private async listenUntilLost(): Promise<number> {
    const { signal } = this.stopping
    const session = await unlessAborted(this.database.session(), signal, end)
    const { promise: lost, resolve: onLost } = Promise.withResolvers<void>()
    for (const event of ['end', 'error']) session.once(event, () => onLost())
    const beat = this.heartbeat(session, onLost)
    beat.start(HEARTBEAT)
    try {
      const failed = lost.then(() => Promise.reject(new Error('the connection was lost before it listened')))
      await unlessAborted(Promise.race([listen(session, this.name, this.onNotification), failed]), signal)
      this.session = session
      this.era += 1
      this.isListening = true
      this.prove(performance.now())
      this.onEra()
      await unlessAborted(lost, signal)
      return RECONNECT_AFTER
    } finally {
      this.isListening = false
      this.session = undefined
      void beat.stop()
      end(session)
    }
  }
}

/** Not awaited: a silently lost connection never answers. */
const end = (session: Session): void => void session.end().catch(() => undefined)
