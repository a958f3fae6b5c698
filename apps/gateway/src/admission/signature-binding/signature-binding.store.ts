import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'

/** Longest wait of a mutation for the database, ms. */
const QUERY_TIMEOUT = 3_000
const PURGE_BATCH = 5_000

/**
 * The no-op update makes a second use wait for the commit of the first, on any gateway, and return its row; DO NOTHING
 * followed by a SELECT would miss a row that is being committed.
 */
const BIND = `
  INSERT INTO replay_binding AS known (signature_hash, idempotency_key, target_hash, expires_at)
  VALUES ($1, $2, $3, to_timestamp($4))
  ON CONFLICT (signature_hash) DO UPDATE SET expires_at = known.expires_at
  RETURNING idempotency_key AS key, target_hash AS "targetHash"`

/** The only use that a signature is valid for. */
export interface SignatureUse {
  /** Idempotency-Key. */
  key: string
  /** SHA-256 of the raw request target, query included. */
  targetHash: Buffer
}

/** As stored; null target: bound by a gateway of an earlier release. */
type FirstUse = Omit<SignatureUse, 'targetHash'> & { targetHash: Buffer | null }

/** First uses of signatures, shared by all gateways. */
@Injectable()
export class SignatureBindingStore {
  constructor(
    private readonly database: Database,
    purging: Purging,
  ) {
    purging.add('bindings of old signatures', () => this.purge())
  }

  /**
   * Binds a signature to its first use unless it is bound already.
   * @param expiresAt Unix seconds
   * @returns the use to which it is bound now
   */
  async bind(signatureHash: Buffer, { key, targetHash }: SignatureUse, expiresAt: number): Promise<FirstUse> {
    const { rows } = await this.database.query<FirstUse>({
      name: 'bind-signature',
      text: BIND,
      values: [signatureHash, key, targetHash, expiresAt],
      query_timeout: QUERY_TIMEOUT,
    } as Parameters<typeof this.database.query>[0] & object)
    return rows[0]!
  }

  /**
   * Deletes bindings a minute after they expire, for gateways whose clocks differ from the database's.
   * @returns number of bindings deleted, at most one batch
   */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM replay_binding WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM replay_binding WHERE expires_at < now() - interval '1 minute' LIMIT ${PURGE_BATCH}))`,
    )
    return rowCount ?? 0
  }
}
