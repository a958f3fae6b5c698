import type { PoolConfig } from 'pg'

/** Where a database is, and whom to trust there. */
export interface DatabaseAddress {
  url: string
  /** Certificates (PEM) that the server is trusted by: with them it is reached over TLS and its name is checked. */
  ca?: string
}

/** What the address says of TLS would take the place of the certificates. */
export function addressOf({ url, ca = '' }: DatabaseAddress): Pick<PoolConfig, 'connectionString' | 'ssl'> {
  if (ca === '') return { connectionString: url }
  const address = new URL(url)
  for (const name of ['sslmode', 'sslrootcert']) address.searchParams.delete(name)
  return { connectionString: address.href, ssl: { ca } }
}
