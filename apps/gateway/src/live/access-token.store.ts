import { Injectable } from '@nestjs/common'
import type { Scope } from '@connectivity/contracts/scopes'
import { Database } from '@connectivity/database/database'
import { Purging } from '@connectivity/database/purging'

/** A token as admission needs it. Its permissions also depend on its client, which is looked up separately. */
export interface LiveToken {
  clientId: string
  /** Creation time of the secret that the token was obtained with: the token ends with that secret. */
  secretCreatedAt: Date
  scopes: readonly Scope[]
  expiresAt: Date
}

/** The secret with which a client obtained a token. */
export interface ObtainedWith {
  credentialId: string
  secretCreatedAt: Date
}

/** The share locks make a concurrent suspension, revocation or rotation either come first or see this token. */
const ISSUE = `
  WITH client AS (
    SELECT c.credential_id
      FROM credential c JOIN connection n USING (connection_id) JOIN application a USING (application_id)
      JOIN credential_secret s USING (credential_id)
     WHERE c.credential_id = $1 AND c.revoked_at IS NULL AND a.state = 'approved' AND s.created_at = $5
       FOR SHARE OF c, a, s)
  INSERT INTO access_token (token_hash, credential_id, scopes, expires_at, secret_created_at)
  SELECT $2, credential_id, $3, $4, $5 FROM client`

/** A token that names no secret comes from an older release: it counts as obtained with the oldest secret. */
const FIND = `
  SELECT c.key_id AS "clientId", t.scopes, t.expires_at AS "expiresAt",
         coalesce(t.secret_created_at,
                  (SELECT min(created_at) FROM credential_secret WHERE credential_id = t.credential_id)) AS "secretCreatedAt"
    FROM access_token t JOIN credential c USING (credential_id)
   WHERE t.token_hash = $1`

const PURGE_BATCH = 5_000

/** Access tokens, by the hash of their text. A token's row is never changed, only deleted. */
@Injectable()
export class AccessTokenStore {
  constructor(
    private readonly database: Database,
    purging: Purging,
  ) {
    purging.add('expired tokens', () => this.purge())
  }

  /** @returns false when the client was revoked, its secret ended or its application suspended in the meantime */
  async issue(
    hash: Buffer,
    { credentialId, secretCreatedAt }: ObtainedWith,
    scopes: readonly Scope[],
    expiresAt: Date,
  ): Promise<boolean> {
    const values = [credentialId, hash, scopes, expiresAt, secretCreatedAt]
    const { rowCount } = await this.database.query({ name: 'issue-token', text: ISSUE, values })
    return rowCount === 1
  }

  async find(hash: Buffer): Promise<LiveToken | null> {
    const { rows } = await this.database.query<LiveToken>({ name: 'find-token', text: FIND, values: [hash] })
    return rows[0] ?? null
  }

  /** @returns number of expired tokens deleted, at most one batch */
  async purge(): Promise<number> {
    const { rowCount } = await this.database.query(
      `DELETE FROM access_token WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM access_token WHERE expires_at <= now() LIMIT ${PURGE_BATCH}))`,
    )
    return rowCount ?? 0
  }
}
