import type { Queryable } from '@connectivity/database'
import type { SealedRow } from '@connectivity/vault'

const BATCH = 200

interface SecretRow {
  credential_id: string
  created_at: Date
  key_encryption_key_id: string
  wrapped_key: Buffer
  sealed_secret: Buffer
}

/** Every signing secret, for a re-wrap. */
export async function* sealedCredentials(database: Queryable): AsyncGenerator<SealedRow> {
  for await (const row of secrets(database)) {
    yield {
      name: `secret of ${row.credential_id}`,
      sealed: {
        keyEncryptionKeyId: row.key_encryption_key_id,
        wrappedKey: row.wrapped_key,
        sealedSecret: row.sealed_secret,
      },
      context: row.credential_id,
      store: ({ keyEncryptionKeyId, wrappedKey }) =>
        database.query(
          `UPDATE credential_secret SET key_encryption_key_id = $4, wrapped_key = $5
            WHERE credential_id = $1 AND created_at = $2 AND wrapped_key = $3`,
          [row.credential_id, row.created_at, row.wrapped_key, keyEncryptionKeyId, wrappedKey],
        ),
    }
  }
}

async function* secrets(database: Queryable): AsyncGenerator<SecretRow> {
  let last: [string, Date] = ['', new Date(0)]
  for (;;) {
    const { rows } = await database.query<SecretRow>(
      `SELECT credential_id, created_at, key_encryption_key_id, wrapped_key, sealed_secret FROM credential_secret
        WHERE sealed_secret IS NOT NULL AND (credential_id, created_at) > ($1, $2)
        ORDER BY credential_id, created_at LIMIT ${BATCH}`,
      last,
    )
    yield* rows
    const end = rows.at(-1)
    if (!end) return
    last = [end.credential_id, end.created_at]
  }
}
