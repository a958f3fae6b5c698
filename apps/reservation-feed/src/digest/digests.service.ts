import { Injectable } from '@nestjs/common'
import type { DigestRow } from '@connectivity/contracts/digest'
import { bucketOf } from '@connectivity/contracts/digest-sum'
import { ServiceError } from '@connectivity/contracts/errors'
import { formatTimestamp } from '@connectivity/contracts/time'
import { LongReads } from '@connectivity/service-kit/work'
import { servable } from '../pages/feed-refusals.js'
import { type BucketDigits, CheckpointDigest } from './checkpoint-digest.js'
import type { RowsPosition } from './digest-cursor.service.js'
import { digestSeconds } from './digest-metrics.js'
import { type FeedSnapshot, FeedSnapshotStore, type SnapshotHead } from './feed-snapshot.store.js'

/** Most reservations that a digest names as moved. */
const MOST_MOVED = 1_000

/** A digest with the last stamp of its moment. */
export interface TakenDigest {
  digest: CheckpointDigest
  /** Last assigned stamp of the connection, ms; 0 when there is none yet. */
  lastStamp: number
}

/** The connection whose feed is read, and the signal that its client has disconnected. */
interface Reader {
  connectionId: string
  gone: AbortSignal | undefined
}

/** Computes digests and lists the rows behind them, each in one snapshot of the feed. */
@Injectable()
export class Digests {
  private readonly turns = new LongReads({ message: 'Other digests are being computed; ask again in a moment.' })

  constructor(private readonly snapshots: FeedSnapshotStore) {}

  /**
   * The digest of the rows up to the checkpoint, with the reservations that have moved beyond it.
   * @param checkpoint ms
   * @param gone ends the reading, as in the other methods
   * @throws ServiceError 409 `checkpoint_too_old` when more than 1,000 have moved, 503 while the feed is unknown,
   *   being filled or busy
   */
  whole(connectionId: string, checkpoint: number, digits: BucketDigits, gone?: AbortSignal): Promise<TakenDigest> {
    return this.read({ connectionId, gone }, async (snapshot, { lastStamp }) => {
      const digest = new CheckpointDigest(checkpoint, digits)
      // Rows that have moved come first, so that a checkpoint that is too old costs little.
      for await (const chunk of snapshot.rows({ order: 'descending' })) {
        for (const row of chunk) digest.take(row)
        if (digest.movedCount > MOST_MOVED) throw tooOld()
      }
      return { digest, lastStamp }
    })
  }

  /** Like `whole`, but without groups and moved reservations. */
  upTo(connectionId: string, checkpoint: number, gone?: AbortSignal): Promise<TakenDigest> {
    return this.read({ connectionId, gone }, async (snapshot, { lastStamp }) => {
      const digest = new CheckpointDigest(checkpoint, 0)
      for await (const chunk of snapshot.rows({ upTo: checkpoint, order: 'ascending' })) {
        for (const row of chunk) digest.take(row)
      }
      return { digest, lastStamp }
    })
  }

  /** The next rows of a bucket, by stamp: at most `most`. */
  list(
    connectionId: string,
    { checkpoint, bucket, after }: RowsPosition,
    most: number,
    gone?: AbortSignal,
  ): Promise<DigestRow[]> {
    return this.read({ connectionId, gone }, async (snapshot) => {
      const found: DigestRow[] = []
      for await (const chunk of snapshot.rows({ after, upTo: checkpoint, order: 'ascending' })) {
        for (const [stamp, kind, reservation_id] of chunk) {
          if (!bucketOf(reservation_id).startsWith(bucket)) continue
          found.push({ reservation_id, updated_at: formatTimestamp(Number(stamp)), kind })
          if (found.length === most) return found
        }
      }
      return found
    })
  }

  private read<T>(
    { connectionId, gone }: Reader,
    work: (snapshot: FeedSnapshot, head: SnapshotHead) => Promise<T>,
  ): Promise<T> {
    const readOnce = async () => {
      const end = digestSeconds.startTimer()
      const workWhenServable = (snapshot: FeedSnapshot) => work(snapshot, servable(snapshot.head))
      const result = await this.snapshots.read(connectionId, workWhenServable, gone)
      end()
      return result
    }
    return this.turns.take(connectionId, readOnce, gone)
  }
}

/** 409: the partner has to pull first. */
export const tooOld = (): ServiceError =>
  new ServiceError(
    'checkpoint_too_old',
    'More than 1,000 reservations have changed since this checkpoint: pull the feed to its end, then ask with the new checkpoint.',
  )
