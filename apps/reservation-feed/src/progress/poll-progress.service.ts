import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common'
import { Database } from '@connectivity/database'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LRUCache } from 'lru-cache'
import { FEED_CONFIG, type FeedConfig } from '../config.js'
import { advance, advances, type AnsweredPoll, mayAdvance, type Progress, undecided } from './progress.js'
import { ProgressStore } from './progress.store.js'

/** Limit of connections whose progress is known without the database. */
const KNOWN = 50_000
/** Polls of a connection kept between two writes; its rate limit allows fewer. */
const MOST_POLLS = 100
/** Connections written in one transaction. */
const AT_ONCE = 500
/** Least time between two rounds, ms: connections that are polled meanwhile are written together. */
const BETWEEN_ROUNDS = 100

/** Polls of a connection that are not written yet. */
interface Noted {
  fresh: AnsweredPoll[]
  /** Polls that did not count at the previous write; the process that served their rows may have written since. */
  again: AnsweredPoll[]
}

const nothingNoted = (): Noted => ({ fresh: [], again: [] })

/**
 * Notes the progress that polls imply and writes it in the background: a poll only reads memory, and an idle poll
 * leaves nothing to write. A poll that advances is written at once unless its connection was written within the
 * interval, so a crash loses at most the polls within one interval after a write.
 */
@Injectable()
export class PollProgress implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly known = new LRUCache<string, Progress>({ max: KNOWN })
  private noted = new Map<string, Noted>()
  /** Ends with the write in progress. */
  private writing: Promise<void> = Promise.resolve()
  /** When connections were written, oldest first, ms of `performance.now`; those of the last interval. */
  private readonly written = new Map<string, number>()
  private roundEndedAt = -Infinity
  private readonly loop = new BackgroundLoop(
    () => this.round(),
    (err) => {
      this.log.warn({ err }, 'progress of partners was not written, trying again')
      return this.interval
    },
  )
  private readonly interval: number

  constructor(
    private readonly database: Database,
    private readonly store: ProgressStore,
    @Inject(LOGGER) private readonly log: Logger,
    @Inject(FEED_CONFIG) config: Pick<FeedConfig, 'PROGRESS_WRITE_SECONDS'>,
  ) {
    this.interval = config.PROGRESS_WRITE_SECONDS * 1_000
  }

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  /**
   * Writes the remaining notes when the last poll has been answered, before the database closes. Without a database,
   * the next process learns them from the next polls.
   */
  async onApplicationShutdown(): Promise<void> {
    await this.loop.stop()
    await this.write().catch((err: unknown) => this.log.warn({ err }, 'progress of partners was not written'))
  }

  /**
   * Notes an answered poll.
   * @returns whether everything that the poll implies is stored, so that the same poll may be repeated unnoted
   */
  note(connectionId: string, poll: AnsweredPoll): boolean {
    const known = this.known.get(connectionId)
    if (known && !mayAdvance(known, poll)) return true
    const { fresh } = this.notedOf(connectionId)
    fresh.push(poll)
    if (fresh.length > MOST_POLLS) fresh.shift()
    if (!known || advances(known, poll)) this.loop.wake()
    return false
  }

  /**
   * Writes now what polls of the connection imply, so that every process shows it and none shows less afterwards.
   * @throws the database's error
   */
  async settle(connectionId: string): Promise<void> {
    await this.writing
    if (this.noted.has(connectionId)) await this.writeThese([connectionId], { isRound: false })
  }

  /** Writes all notes; notes that fail stay for the next write. */
  write(): Promise<void> {
    return this.writeThese([...this.noted.keys()])
  }

  /** Writes the connections that were not written within the interval. @returns time until the next one may be, ms */
  private async round(): Promise<number> {
    await delay(Math.max(0, this.roundEndedAt + BETWEEN_ROUNDS - performance.now()))
    this.forgetWritten()
    try {
      await this.writeThese([...this.noted.keys()].filter((connectionId) => !this.written.has(connectionId)))
    } finally {
      this.roundEndedAt = performance.now()
    }
    return this.untilDue()
  }

  private forgetWritten(): void {
    const before = performance.now() - this.interval
    for (const [connectionId, at] of this.written) {
      if (at > before) return
      this.written.delete(connectionId)
    }
  }

  private untilDue(): number {
    for (const [connectionId, at] of this.written)
      if (this.noted.has(connectionId)) return Math.max(1, at + this.interval - performance.now())
    return this.interval
  }

  private writeThese(connectionIds: readonly string[], { isRound } = { isRound: true }): Promise<void> {
    const written = this.writeAll(connectionIds, isRound)
    const before = this.writing
    this.writing = written.catch(() => undefined).then(() => before)
    return written
  }

  private async writeAll(connectionIds: readonly string[], isRound: boolean): Promise<void> {
    const all = connectionIds.map((connectionId): [string, Noted] => [connectionId, this.noted.get(connectionId)!])
    for (const connectionId of connectionIds) this.noted.delete(connectionId)
    try {
      for (; all.length > 0; all.splice(0, AT_ONCE)) await this.writeSome(new Map(all.slice(0, AT_ONCE)), isRound)
    } finally {
      for (const [connectionId, { again, fresh }] of all) {
        const noted = this.notedOf(connectionId)
        noted.again = [...again, ...noted.again].slice(-MOST_POLLS)
        noted.fresh = [...fresh, ...noted.fresh].slice(-MOST_POLLS)
      }
    }
  }

  /** @param isRound whether polls that did not count at an earlier write are forgotten if they still do not */
  private async writeSome(noted: ReadonlyMap<string, Noted>, isRound: boolean): Promise<void> {
    const written = await this.database.transaction(async (tx) => {
      const stored = await this.store.lock(tx, [...noted.keys()])
      const after = new Map<string, Progress>()
      for (const [connectionId, { again, fresh }] of noted)
        after.set(
          connectionId,
          [...again, ...fresh].reduce<Progress | null>(advance, stored.get(connectionId) ?? null)!,
        )
      const changed = [...after].filter(([connectionId, progress]) => hasMoved(stored.get(connectionId), progress))
      if (changed.length > 0) this.store.write(tx, new Map(changed))
      return after
    })
    const now = performance.now()
    for (const [connectionId, progress] of written) {
      this.known.set(connectionId, progress)
      // Deleted first: the map is in the order of its times.
      this.written.delete(connectionId)
      this.written.set(connectionId, now)
      const { again, fresh } = noted.get(connectionId)!
      const left = undecided(progress, isRound ? fresh : [...again, ...fresh])
      if (left.length > 0) this.notedOf(connectionId).again.push(...left)
    }
  }

  private notedOf(connectionId: string): Noted {
    const known = this.noted.get(connectionId)
    if (known) return known
    const noted = nothingNoted()
    this.noted.set(connectionId, noted)
    return noted
  }
}

const hasMoved = (before: Progress | undefined, after: Progress): boolean =>
  !before || after.servedTo > before.servedTo || after.processedTo > before.processedTo
