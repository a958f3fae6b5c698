import type { PoolConfig } from 'pg'
import type { DatabaseOptions } from './database.js'

/** What the address says of TLS would take the place of the certificates. */
export function addressOf({
  url,
  ca = '',
}: Pick<DatabaseOptions, 'url' | 'ca'>): Pick<PoolConfig, 'connectionString' | 'ssl'> {
  if (ca === '') return { connectionString: url }
  const address = new URL(url)
  for (const name of ['sslmode', 'sslrootcert']) address.searchParams.delete(name)
  return { connectionString: address.href, ssl: { ca } }
}
