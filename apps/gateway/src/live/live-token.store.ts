import type { Scope } from '@connectivity/contracts/scopes'
import type { Queryable } from '@connectivity/database'

/** A token as admission needs it. Its permissions also depend on its client, which is looked up separately. */
export interface LiveToken {
  clientId: string
  /** Creation time of the secret that the token was obtained with: the token ends with that secret. */
  secretCreatedAt: Date
  scopes: readonly Scope[]
  expiresAt: Date
}

/** A token that names no secret comes from an older release: it counts as obtained with the oldest secret. */
const SELECT = {
  name: 'find-token',
  text: `SELECT c.key_id AS "clientId", t.scopes, t.expires_at AS "expiresAt",
                coalesce(t.secret_created_at,
                         (SELECT min(created_at) FROM credential_secret WHERE credential_id = t.credential_id)) AS "secretCreatedAt"
           FROM access_token t JOIN credential c USING (credential_id)
          WHERE t.token_hash = $1`,
}

/** The token whose text has this hash. */
export async function findLiveToken(on: Queryable, hash: Buffer): Promise<LiveToken | null> {
  const { rows } = await on.query<LiveToken>({ ...SELECT, values: [hash] })
  return rows[0] ?? null
}
