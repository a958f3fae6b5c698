import type { Queryable } from '@connectivity/database'
import { readSealedText, type SealedRow, sealedText } from '@connectivity/vault'

const BATCH = 200

type Column = 'secret' | 'previous_secret'
interface SecretRow {
  connection_id: string
  secret: string
  previous_secret: string | null
}

/** Yields every callback's secrets, for a re-wrap. */
export async function* sealedCallbackSecrets(database: Queryable): AsyncGenerator<SealedRow> {
  const rowOf = (connectionId: string, column: Column, text: string): SealedRow => ({
    name: `${column.replace('_', ' ')} of ${connectionId}`,
    sealed: readSealedText(text),
    context: connectionId,
    store: (fresh) =>
      database.query(`UPDATE callback SET ${column} = $3 WHERE connection_id = $1 AND ${column} = $2`, [
        connectionId,
        text,
        sealedText(fresh),
      ]),
  })
  for (let last = ''; ;) {
    const { rows } = await database.query<SecretRow>(
      `SELECT connection_id, secret, previous_secret FROM callback WHERE connection_id > $1
        ORDER BY connection_id LIMIT ${BATCH}`,
      [last],
    )
    for (const { connection_id, secret, previous_secret } of rows) {
      yield rowOf(connection_id, 'secret', secret)
      if (previous_secret !== null) yield rowOf(connection_id, 'previous_secret', previous_secret)
    }
    const end = rows.at(-1)
    if (!end) return
    last = end.connection_id
  }
}
