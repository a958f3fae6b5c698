import { Injectable } from '@nestjs/common'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'

/** Longer than this no mutation waits for the database, ms. */
const QUERY_TIMEOUT = 3_000
const PURGE_BATCH = 5_000

/**
 * The no-op update makes a second use wait for the first one's commit, on whichever gateway that runs, and see its
 * row; DO NOTHING with a second look would miss a row that is being committed.
 */
const BIND = `
  INSERT INTO replay_binding AS known (signature_hash, idempotency_key, expires_at)
  VALUES ($1, $2, to_timestamp($3))
  ON CONFLICT (signature_hash) DO UPDATE SET expires_at = known.expires_at
  RETURNING idempotency_key`

/** First uses of signatures, shared by all gateways. */
@Injectable()
export class ReplayBindingStore {
  constructor(
    private readonly database: Database,
    purging: Purging,
  ) {
    purging.add('bindings of old signatures', () => this.purge())
  }

  /**
   * Binds a signature to a key unless it is bound already.
   * @param expiresAt Unix seconds
   * @returns the key to which it is bound now
   */
  async bind(signatureHash: Buffer, key: string, expiresAt: number): Promise<string> {
    const { rows } = await this.database.reads.query<{ idempotency_key: string }>({
      name: 'bind-signature',
      text: BIND,
      values: [signatureHash, key, expiresAt],
      query_timeout: QUERY_TIMEOUT,
    } as Parameters<typeof this.database.reads.query>[0] & object)
    return rows[0]!.idempotency_key
  }

  /**
   * A minute late, for gateways whose clocks differ from the database's.
   * @returns number of bindings deleted, at most one batch
   */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.reads.query(
      `DELETE FROM replay_binding WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM replay_binding WHERE expires_at < now() - interval '1 minute' LIMIT ${PURGE_BATCH}))`,
    )
    return rowCount ?? 0
  }
}
