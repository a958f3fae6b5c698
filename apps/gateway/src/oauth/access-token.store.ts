import { Injectable } from '@nestjs/common'
import type { Scope } from '@connectivity/contracts/scopes'
import { Database, type Transaction } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'

/** A token as the door needs it. What it may do also depends on its client, which is looked up apart. */
export interface LiveToken {
  clientId: string
  scopes: readonly Scope[]
  expiresAt: Date
}

/** The share locks make a suspension or revocation that is under way come first or see this token. */
const ISSUE = `
  WITH client AS (
    SELECT c.credential_id
      FROM credential c JOIN connection n USING (connection_id) JOIN application a USING (application_id)
     WHERE c.credential_id = $1 AND c.revoked_at IS NULL AND a.state = 'approved'
       FOR SHARE OF c, a)
  INSERT INTO access_token (token_hash, credential_id, scopes, expires_at)
  SELECT $2, credential_id, $3, $4 FROM client`

const FIND = `
  SELECT c.key_id AS "clientId", t.scopes, t.expires_at AS "expiresAt"
    FROM access_token t JOIN credential c USING (credential_id)
   WHERE t.token_hash = $1`

const PURGE_BATCH = 5_000

/** Access tokens, by the hash of their text. A token's row never changes; it is there or gone. */
@Injectable()
export class AccessTokenStore {
  constructor(
    private readonly database: Database,
    purging: Purging,
  ) {
    purging.add('expired tokens', () => this.purge())
  }

  /** @returns false when the client has been revoked or its application suspended in the meantime */
  async issue(hash: Buffer, credentialId: string, scopes: readonly Scope[], expiresAt: Date): Promise<boolean> {
    const values = [credentialId, hash, scopes, expiresAt]
    const { rowCount } = await this.database.reads.query({ name: 'issue-token', text: ISSUE, values })
    return rowCount === 1
  }

  async find(hash: Buffer): Promise<LiveToken | null> {
    const { rows } = await this.database.reads.query<LiveToken>({ name: 'find-token', text: FIND, values: [hash] })
    return rows[0] ?? null
  }

  /** @returns number of expired tokens deleted, at most one batch */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.reads.query(
      `DELETE FROM access_token WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access_token WHERE expires_at <= now() LIMIT ${PURGE_BATCH}))`,
    )
    return rowCount ?? 0
  }
}

/** Ends the tokens of an application for good: they stay dead when it is resumed. */
export async function endTokens(tx: Transaction, applicationId: string): Promise<void> {
  await tx.query(
    `DELETE FROM access_token USING credential c JOIN connection n USING (connection_id)
      WHERE access_token.credential_id = c.credential_id AND n.application_id = $1`,
    [applicationId],
  )
}
