import type { BucketDigest, RowKind } from '@connectivity/contracts/digest'
import { bucketOf, DigestSum } from '@connectivity/contracts/digest-sum'
import { formatTimestamp } from '@connectivity/contracts/time'

/** A row of the feed without its text. */
export type ScannedRow = [stamp: string, kind: RowKind, reservationId: string]

/** Number of digits of the bucket by which rows are grouped; 0: no groups. */
export type BucketDigits = 0 | 1 | 2

/** Digest of a feed up to a checkpoint, made from its rows in any order. */
export class CheckpointDigest {
  private readonly all = new DigestSum()
  private readonly groups = new Map<string, DigestSum>()
  private readonly later: { stamp: number; reservationId: string }[] = []

  /** @param checkpoint greatest stamp covered, ms */
  constructor(
    private readonly checkpoint: number,
    private readonly digits: BucketDigits,
  ) {}

  /** Rows up to the checkpoint. */
  get rows(): number {
    return this.all.rows
  }

  /** Reservations whose row is after the checkpoint, by stamp. */
  get moved(): string[] {
    return this.later.toSorted((a, b) => a.stamp - b.stamp).map(({ reservationId }) => reservationId)
  }

  get movedCount(): number {
    return this.later.length
  }

  /** Adds a row; notes it instead when its stamp is later than the checkpoint. */
  take([stampText, kind, reservationId]: ScannedRow): void {
    const stamp = Number(stampText)
    if (stamp > this.checkpoint) return void this.later.push({ stamp, reservationId })
    const updatedAt = formatTimestamp(stamp)
    this.all.add(updatedAt, kind, reservationId)
    if (this.digits > 0) this.groupOf(reservationId).add(updatedAt, kind, reservationId)
  }

  /** The digest of all rows up to the checkpoint. */
  digest(): string {
    return this.all.digest()
  }

  /** Groups that have rows, in ascending order; null without groups. */
  buckets(): BucketDigest[] | null {
    if (this.digits === 0) return null
    return [...this.groups]
      .map(([bucket, sum]) => ({ bucket, rows: sum.rows, digest: sum.digest() }))
      .sort((a, b) => (a.bucket < b.bucket ? -1 : 1))
  }

  private groupOf(reservationId: string): DigestSum {
    const bucket = bucketOf(reservationId).slice(0, this.digits)
    const known = this.groups.get(bucket)
    if (known) return known
    const sum = new DigestSum()
    this.groups.set(bucket, sum)
    return sum
  }
}
