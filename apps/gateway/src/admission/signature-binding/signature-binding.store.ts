import { Injectable } from '@nestjs/common'
import { bulkRows, bulkValue, Database, deleteBatch, queryRows } from '@connectivity/database'

/** Longest wait of a mutation for the database, ms. */
const QUERY_TIMEOUT = 3_000

/**
 * The no-op update makes a second use wait for the commit of the first, on any gateway, and return its row; DO NOTHING
 * followed by a SELECT would miss a row that is being committed. All gateways lock rows in the order of their hashes.
 */
const BIND = `
  INSERT INTO replay_binding AS known (signature_hash, idempotency_key, target_hash, expires_at)
  SELECT decode(signature_hash, 'hex'), key, decode(target_hash, 'hex'), to_timestamp(expires_at)
    FROM ${bulkRows(['text', 'text', 'text', 'bigint'])} AS given (signature_hash, key, target_hash, expires_at)
   ORDER BY 1
  ON CONFLICT (signature_hash) DO UPDATE SET expires_at = known.expires_at
  RETURNING encode(signature_hash, 'hex'), idempotency_key, encode(target_hash, 'hex')`

/** Use of a signature; hashes are SHA-256, lower-case hex. */
export interface SignatureUse {
  signatureHash: string
  /** Idempotency-Key. */
  key: string
  /** Hash of the raw request target, query included. */
  targetHash: string
  /** Unix seconds. */
  expiresAt: number
}

/** The only use that a signature is valid for; null target: bound by a gateway of an earlier release. */
export interface FirstUse {
  key: string
  targetHash: string | null
}

/** First uses of signatures, shared by all gateways. */
@Injectable()
export class SignatureBindingStore {
  constructor(private readonly database: Database) {}

  /**
   * Binds each signature to its first use unless it is bound already.
   * @returns the use to which each is bound now
   */
  async bind(uses: readonly SignatureUse[]): Promise<FirstUse[]> {
    // An upsert takes each row once: of several uses of one signature, only the first is sent.
    const firsts = new Map(uses.toReversed().map((use) => [use.signatureHash, use]))
    const column = (value: (use: SignatureUse) => string | number) => bulkValue([...firsts.values()].map(value))
    const rows = await queryRows<[signatureHash: string, key: string, targetHash: string | null]>(this.database, {
      name: 'bind-signatures',
      text: BIND,
      values: [
        column(({ signatureHash }) => signatureHash),
        column(({ key }) => key),
        column(({ targetHash }) => targetHash),
        column(({ expiresAt }) => expiresAt),
      ],
      query_timeout: QUERY_TIMEOUT,
    } as Parameters<typeof queryRows>[1])
    const bound = new Map(rows.map(([signatureHash, key, targetHash]) => [signatureHash, { key, targetHash }]))
    return uses.map(({ signatureHash }) => bound.get(signatureHash)!)
  }

  /**
   * Deletes bindings a minute after they expire, for gateways whose clocks differ from the database's.
   * @returns number of bindings deleted, at most one batch
   */
  purge(): Promise<number> {
    return deleteBatch(this.database, 'replay_binding', `expires_at < now() - interval '1 minute'`)
  }
}
