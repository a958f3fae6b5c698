import type { PoolConfig } from 'pg'

/** Address of a database, and the certificates to trust. */
export interface DatabaseAddress {
  url: string
  /** Certificates (PEM) of the trusted authorities. With them, the connection uses TLS and checks the server's name. */
  ca?: string
}

/** Removes TLS settings from the address: they would override the certificates. */
export function addressOf({ url, ca = '' }: DatabaseAddress): Pick<PoolConfig, 'connectionString' | 'ssl'> {
  if (ca === '') return { connectionString: url }
  const address = new URL(url)
  for (const name of ['sslmode', 'sslrootcert']) address.searchParams.delete(name)
  return { connectionString: address.href, ssl: { ca } }
}
