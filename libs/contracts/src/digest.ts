import { IsInt, Matches, Max, Min } from 'class-validator'
import type { Integer, PropertyId, ReservationId, SchemaVersion, Timestamp } from './field-types.js'
import { MAX_ID } from './message-fields.js'
import type { Pagination } from './reservation.js'
import { Checkpoint, Line } from './validation.js'

/** Kind of a row of the feed: an element of `reservations` or of `errors`. */
export type RowKind = 'reservation' | 'problem'

/**
 * SHA-256 of the sum of the rows' elements (32 bytes) and their number (8 bytes), in hex.
 * @pattern ^[0-9a-f]{64}$
 */
export type RowsDigest = string

/** Digest of the rows whose reservation ids fall into one bucket. */
export interface BucketDigest {
  /** First byte of SHA-256 of the `reservation_id`, `00` to `ff`; its first digit when 16 are asked for. */
  bucket: string
  /** Rows of the bucket up to the checkpoint. */
  rows: Integer
  digest: RowsDigest
}

/** Answer of GET /reservations/digest, consistent as of one moment. */
export interface FeedDigest {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** The checkpoint, rounded down to the millisecond. */
  checkpoint: Timestamp
  /** Rows with `updated_at` up to the checkpoint. */
  rows: Integer
  /** Digest of these rows. */
  digest: RowsDigest
  /**
   * Reservations that changed or entered the feed after the checkpoint, by `updated_at`; leave them out of your digest.
   */
  moved: ReservationId[]
  /** Buckets that have rows, in ascending order; null unless asked for. */
  buckets: BucketDigest[] | null
}

/**
 * A row as its digest sees it.
 * @public The description of the interface has it by its name.
 */
export interface DigestRow {
  reservation_id: ReservationId
  updated_at: Timestamp
  kind: RowKind
}

/** Answer of GET /reservations/digest/rows, ordered by `updated_at`. */
export interface DigestRows {
  schema_version: SchemaVersion
  property_id: PropertyId
  checkpoint: Timestamp
  /** Bucket that was requested: two hex digits, or one for a group of 16. */
  bucket: string
  /** Rows of this page. */
  rows: DigestRow[]
  pagination: Pagination
}

/** Body of POST /reservations/proofs: the digest of your own rows. */
export class ProofWrite {
  @Line(MAX_ID)
  property_id: PropertyId

  /** Checkpoint that you sent to GET /reservations/digest. */
  @Checkpoint()
  checkpoint: Timestamp

  /** Number of your rows up to the checkpoint, without those in `moved`. */
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  rows: Integer

  /** Digest of these rows. */
  @Matches(/^[0-9a-f]{64}$/, { message: 'must be 64 lower-case hex digits' })
  digest: RowsDigest
}

/** Whether both sides hold the same rows. */
export type ProofResult = 'match' | 'differ'

/** A proof as it was recorded. */
export interface ProofAnswer {
  schema_version: SchemaVersion
  property_id: PropertyId
  /** Checkpoint that you sent, or the connection's last stamp if that is earlier. */
  checkpoint: Timestamp
  /**
   * `match` if your digest equals the service's, either now or as answered for this checkpoint in the last 5 minutes.
   */
  result: ProofResult
  /** When the proof matched; null when it differs. */
  proven_at: Timestamp | null
}
