import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@connectivity/service-kit/logging'
import type { Database } from './database.js'

const RECONNECT_AFTER = 200
/** A connection that is gone without a word is noticed by asking it something, ms. */
const HEARTBEAT = 5_000

type Session = Awaited<ReturnType<Database['session']>>

/**
 * One PostgreSQL channel, listened to on a connection of its own for as long as the process lives. While that is lost,
 * notifications go unheard: a new era begins with each connection.
 */
export class NotificationChannel {
  private readonly stopping = new AbortController()
  private session: Session | undefined
  private isListening = false
  private era = 0
  private watch: Promise<void> | undefined

  /**
   * @param name an SQL identifier
   * @param hear gets the payload of each notification that another session sent
   */
  constructor(
    private readonly database: Database,
    private readonly name: string,
    private readonly log: Logger,
    private readonly hear: (payload: string) => void,
  ) {}

  /** The current era, null while notifications go unheard. */
  readonly currentEra = (): number | null => (this.isListening ? this.era : null)

  start(): void {
    this.watch = this.watchForEver()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.watch
  }

  /** Wakes the other listeners, without payload; over the channel's own connection. Nothing happens while that is lost. */
  async notify(): Promise<void> {
    await this.session?.query(`NOTIFY ${this.name}`).catch(() => undefined)
  }

  private async watchForEver(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.listenUntilLost().catch((err: unknown) =>
        this.log.warn({ err, channel: this.name }, 'notifications go unheard, listening again'),
      )
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
    const own = (session as unknown as { processID: number }).processID
    session.on('notification', ({ payload, processId }) => processId !== own && this.hear(payload ?? ''))
    const beat = heartbeat(session, onLost)
    try {
      await session.query(`LISTEN ${this.name}`)
      this.session = session
      this.era += 1
      this.isListening = !this.stopping.signal.aborted
      await lost
    } finally {
      this.isListening = false
      this.session = undefined
      clearInterval(beat)
      // Not awaited: a connection that is gone without a word would never say goodbye.
      void session.end().catch(() => undefined)
    }
  }
}

function heartbeat(session: Session, onLost: () => void): NodeJS.Timeout {
  let answered = true
  return setInterval(() => {
    if (!answered) return onLost()
    answered = false
    session.query('SELECT 1').then(() => (answered = true), onLost)
  }, HEARTBEAT)
}
