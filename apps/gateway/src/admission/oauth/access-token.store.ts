import { Injectable } from '@nestjs/common'
import type { Scope } from '@connectivity/contracts/scopes'
import { Database, deleteBatch } from '@connectivity/database'

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

/** Access tokens, by the hash of their text. A token's row is never changed, only deleted. */
@Injectable()
export class AccessTokenStore {
  constructor(private readonly database: Database) {}

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

  /** @returns number of expired tokens deleted, at most one batch */
  purge(): Promise<number> {
    return deleteBatch(this.database, 'access_token', 'expires_at <= now()')
  }
}
