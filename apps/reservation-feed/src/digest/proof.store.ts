import { Inject, Injectable } from '@nestjs/common'
import type { ProofResult } from '@connectivity/contracts/digest'
import { Database, deleteBatch, queryRows, type Transaction } from '@connectivity/database'
import { FEED_CONFIG, type FeedConfig } from '../config.js'

/** A digest of the rows up to a checkpoint. */
export interface DigestClaim {
  /** ms */
  checkpoint: number
  rows: number
  digest: string
}

/** Answered digests, and the results of partners' proofs. */
@Injectable()
export class ProofStore {
  constructor(
    private readonly database: Database,
    @Inject(FEED_CONFIG) private readonly config: Pick<FeedConfig, 'PROOF_ANSWER_SECONDS'>,
  ) {}

  /** Keeps a digest that is being answered, with the connection's last stamp of its moment. */
  async keepAnswer(
    connectionId: string,
    { checkpoint, rows, digest, lastStamp }: DigestClaim & { lastStamp: number },
  ): Promise<void> {
    await this.database.query({
      name: 'digest-answer-keep',
      text: `INSERT INTO digest_answer (connection_id, checkpoint, digest, rows, last_stamp) VALUES ($1, $2, $3, $4, $5)
             ON CONFLICT (connection_id, checkpoint, digest) DO UPDATE
               SET last_stamp = excluded.last_stamp, answered_at = excluded.answered_at`,
      values: [connectionId, checkpoint, digest, rows, lastStamp],
    })
  }

  /**
   * Finds the same digest among those answered recently.
   * @returns the connection's last stamp at that moment; null without such a digest
   */
  async answered(connectionId: string, { checkpoint, rows, digest }: DigestClaim): Promise<number | null> {
    const found = await queryRows<[string]>(this.database, {
      name: 'digest-answer-find',
      text: `SELECT last_stamp FROM digest_answer
              WHERE connection_id = $1 AND checkpoint = $2 AND digest = $3 AND rows = $4
                AND answered_at > now() - make_interval(secs => $5)`,
      values: [connectionId, checkpoint, digest, rows, this.config.PROOF_ANSWER_SECONDS],
    })
    return found[0] ? Number(found[0][0]) : null
  }

  /** Records the last finding of each kind; a match for an earlier checkpoint never replaces one for a later. */
  record(tx: Transaction, connectionId: string, result: ProofResult, claim: DigestClaim & { foundAt: Date }): void {
    const { checkpoint, rows, digest, foundAt } = claim
    tx.defer({
      name: 'proof-record',
      text: `INSERT INTO proof AS p (connection_id, result, checkpoint, rows, digest, found_at) VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (connection_id, result) DO UPDATE
               SET checkpoint = excluded.checkpoint, rows = excluded.rows, digest = excluded.digest, found_at = excluded.found_at
             WHERE p.result = 'differ' OR p.checkpoint <= excluded.checkpoint`,
      values: [connectionId, result, checkpoint, rows, digest, foundAt],
    })
  }

  /** @returns number of answered digests deleted, at most one batch */
  purge(): Promise<number> {
    const isOver = 'answered_at < now() - make_interval(secs => $1)'
    return deleteBatch(this.database, 'digest_answer', isOver, [this.config.PROOF_ANSWER_SECONDS])
  }
}
