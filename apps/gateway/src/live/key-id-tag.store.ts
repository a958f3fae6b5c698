import type { Queryable } from '@connectivity/database'

/** The key of the id tags, hexadecimal; one row, which every replica shares. */
export async function readTagKey(on: Queryable): Promise<string> {
  const { rows } = await on.query<{ key: Buffer }>('SELECT key FROM key_id_tag')
  return rows[0]!.key.toString('hex')
}
