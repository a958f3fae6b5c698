import { Injectable } from '@nestjs/common'
import { Database, queryRows, type Transaction } from '@connectivity/database'
import type { FeedState } from '../projection/feed-state.js'
import type { ScannedRow } from './checkpoint-digest.js'

/** Rows read at once: about 2 ms of work per turn of the event loop, and 100 KB. */
const CHUNK = 1_000

/** Rows of a feed to read: all by default. Stamps, ms. */
interface Stamps {
  /** Exclusive lower bound. */
  after?: number
  upTo?: number
  order: 'ascending' | 'descending'
}

/** The part of a head that a digest needs. */
export interface SnapshotHead {
  state: FeedState
  /** Last assigned stamp, ms; 0 when there is none yet. */
  lastStamp: number
}

const directions = { ascending: 'ASC', descending: 'DESC' }

/** One connection's feed as it is at one moment, however long it takes to read it. */
export class FeedSnapshot {
  constructor(
    private readonly tx: Transaction,
    private readonly connectionId: string,
    /** Null for a connection that the feed does not know yet. */
    readonly head: SnapshotHead | null,
    private readonly gone?: AbortSignal,
  ) {}

  /**
   * Streams the rows by stamp from the index alone, in chunks; the next chunk is read while one is used.
   * A snapshot is read once.
   * @throws the reason of `gone`
   */
  async *rows({ after = -1, upTo = Number.MAX_SAFE_INTEGER, order }: Stamps): AsyncGenerator<ScannedRow[]> {
    this.tx.defer({
      text: `DECLARE feed_rows NO SCROLL CURSOR FOR
             SELECT stamp, kind, reservation_id FROM feed_row
              WHERE connection_id = $1 AND stamp > $2 AND stamp <= $3 ORDER BY stamp ${directions[order]}`,
      values: [this.connectionId, after, upTo],
    })
    let next = this.fetch()
    for (;;) {
      const chunk = await next
      this.gone?.throwIfAborted()
      const isLast = chunk.length < CHUNK
      if (!isLast) next = this.fetch()
      if (chunk.length > 0) yield chunk
      if (isLast) return
    }
  }

  private fetch(): Promise<ScannedRow[]> {
    const rows = queryRows<ScannedRow>(this.tx, { name: 'feed-rows-fetch', text: `FETCH ${CHUNK} FROM feed_rows` })
    // A reader that stops early leaves it unread.
    rows.catch(() => undefined)
    return rows
  }
}

/** Reads whole feeds, each in one snapshot and in constant memory. */
@Injectable()
export class FeedSnapshotStore {
  constructor(private readonly database: Database) {}

  /** @param gone ends the reading when the client disconnects */
  read<T>(connectionId: string, work: (snapshot: FeedSnapshot) => Promise<T>, gone?: AbortSignal): Promise<T> {
    return this.database.transaction(async (tx) => {
      tx.readSnapshot()
      const heads = await queryRows<[FeedState, string]>(tx, {
        name: 'snapshot-head',
        text: 'SELECT state, last_stamp FROM feed_connection WHERE connection_id = $1',
        values: [connectionId],
      })
      const head = heads.map(([state, lastStamp]) => ({ state, lastStamp: Number(lastStamp) }))[0] ?? null
      return work(new FeedSnapshot(tx, connectionId, head, gone))
    })
  }
}
