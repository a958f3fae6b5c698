import type { Authorities } from '@connectivity/service-kit/config'
import type { PoolConfig } from 'pg'

/** Address of a database, and the authorities to trust. */
export interface DatabaseAddress {
  url: string
  /** With certificates, the connection uses TLS and checks the server's name. */
  authorities?: Authorities
}

/** Removes TLS settings from the address: they would override the certificates. */
export function addressOf({ url, authorities }: DatabaseAddress): Pick<PoolConfig, 'connectionString' | 'ssl'> {
  const ssl = authorities?.tls
  if (!ssl) return { connectionString: url }
  const address = new URL(url)
  for (const name of ['sslmode', 'sslrootcert']) address.searchParams.delete(name)
  return { connectionString: address.href, ssl }
}
