import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { advisoryLocks, Database, endWhenFrozen, tryLock, unlock } from '@connectivity/database'
import { listen } from '@connectivity/database/notifications'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { BookingStore } from '../projection/booking.store.js'
import { FeedHeadStore } from '../projection/feed-head.store.js'
import { FeedRowStore } from '../projection/feed-row.store.js'
import { FeedWriter } from '../projection/feed-writer.service.js'
import { lockProperties } from '../projection/property-lock.store.js'
import type { FeedState } from '../projection/feed-state.js'
import { ConnectionStore, REFRESH_CHANNEL, type StaleConnection } from './connection.store.js'
import { RetryTimes } from './retry-times.js'

/** Rows per transaction: a live change waits for at most one chunk. */
const CHUNK = 200
/** Connections worked on at once by one replica. */
const AT_ONCE = 3
const STALE_LIMIT = 50
/** Backstop for a lost notification, ms. */
const POLL = 1_000
/** Rendering of a live connection pauses while its stamps lead the clock by more than this, ms. */
const LONGEST_LEAD = 2_000
const PAUSE = 100
/**
 * A live connection rests this many times as long as its last rendering took, so that one whose mappings change all the
 * time takes a fifth of a turn. Then it is rendered with its latest catalog.
 */
const REST = 4
const LONGEST_REST = 30_000
/** Lock of a connection, held by the replica that works on it, so that no other repeats the work. */
const LOCK = advisoryLocks.feedRefresh('$1')

type Session = Awaited<ReturnType<Database['session']>>

/** Fills the feeds of new connections and renders those of live ones again when their catalog has changed. */
@Injectable()
export class FeedRefresh implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly active = new Map<string, { state: FeedState; work: Promise<void> }>()
  private readonly times = new RetryTimes()
  private readonly finished: string[] = []
  private session: Session | undefined
  private readonly loop = new BackgroundLoop(
    () => this.round(),
    (err) => this.interrupted(err),
  )

  constructor(
    private readonly database: Database,
    private readonly connections: ConnectionStore,
    private readonly bookings: BookingStore,
    private readonly heads: FeedHeadStore,
    private readonly rows: FeedRowStore,
    private readonly writer: FeedWriter,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  async onModuleDestroy(): Promise<void> {
    await this.loop.stop()
    await Promise.all([...this.active.values()].map(({ work }) => work))
    await this.session?.end()
  }

  private async round(): Promise<number> {
    const session = await this.openSession()
    await this.releaseFinished(session)
    await this.startPending(session)
    return Math.min(POLL, Math.ceil(this.times.soonest()))
  }

  private async interrupted(err: unknown): Promise<number> {
    this.log.warn({ err }, 'feed refresh interrupted, trying again')
    await this.session?.end().catch(() => undefined)
    this.session = undefined
    return POLL
  }

  private async openSession(): Promise<Session> {
    if (this.session) return this.session
    this.session = await this.database.session()
    await endWhenFrozen(this.session)
    await listen(this.session, REFRESH_CHANNEL, () => this.loop.wake())
    return this.session
  }

  private async startPending(session: Session): Promise<void> {
    const except = [...this.active.keys(), ...this.times.paused()]
    for (const connection of await this.connections.stale(this.database, STALE_LIMIT, except)) {
      if (this.hasPlaceFor(connection) && (await tryLock(session, LOCK, [connection.connectionId]))) {
        this.active.set(connection.connectionId, { state: connection.state, work: this.work(connection) })
      }
    }
  }

  /** Work on live connections never takes the last place, because a connection that waits to be filled answers 503. */
  private hasPlaceFor({ state }: StaleConnection): boolean {
    const live = [...this.active.values()].filter((job) => job.state === 'live').length
    const places =
      state === 'live' ? Math.min(AT_ONCE - this.active.size, AT_ONCE - 1 - live) : AT_ONCE - this.active.size
    return places > 0
  }

  private async work(connection: StaleConnection): Promise<void> {
    const begun = performance.now()
    try {
      await this.refresh(connection)
      const rest = connection.state === 'live' ? REST * (performance.now() - begun) : 0
      this.times.rest(connection.connectionId, Math.min(rest, LONGEST_REST))
    } catch (error) {
      this.times.note(connection.connectionId)
      this.log.warn({ err: error, connection_id: connection.connectionId }, 'refresh failed, trying again later')
    }
    this.finished.push(connection.connectionId)
    this.loop.wake()
  }

  private async releaseFinished(session: Session): Promise<void> {
    for (let connectionId = this.finished.pop(); connectionId !== undefined; connectionId = this.finished.pop()) {
      this.active.delete(connectionId)
      await unlock(session, LOCK, [connectionId])
    }
  }

  private async refresh(connection: StaleConnection): Promise<void> {
    const { connectionId, propertyId, state, catalogVersion } = connection
    const ids = await this.bookings.visibleIds(this.database, propertyId)
    let changed = 0
    for (let from = 0; from < ids.length; from += CHUNK) {
      if (this.loop.isStopping) return
      if (state === 'live') await this.letClockCatchUp(connectionId)
      const written = await this.renderChunk(connection, ids.slice(from, from + CHUNK))
      if (written === null) return
      changed += written
    }
    await this.connections.markRendered(this.database, connectionId, catalogVersion)
    this.log.info(
      { connection_id: connectionId, state, bookings: ids.length, changed },
      'feed rendered with its latest catalog',
    )
  }

  /** @returns number of rows that changed; null if the connection has been closed in the meantime */
  private renderChunk({ connectionId, propertyId }: StaleConnection, ids: readonly string[]): Promise<number | null> {
    return this.database.transaction(async (tx) => {
      const [, locked] = await Promise.all([
        lockProperties(tx, [propertyId], 'shared'),
        this.heads.lock(tx, connectionId),
      ])
      if (!locked) return null
      const heads = await this.heads.withViews(tx, [locked])
      const [bookings, existing] = await Promise.all([
        this.bookings.hold(tx, propertyId, ids),
        this.rows.find(tx, connectionId, ids),
      ])
      return this.writer.write(tx, heads, bookings, existing).changed
    })
  }

  private async letClockCatchUp(connectionId: string): Promise<void> {
    while (!this.loop.isStopping && (await this.connections.stampLead(this.database, connectionId)) > LONGEST_LEAD)
      await delay(PAUSE)
  }
}
