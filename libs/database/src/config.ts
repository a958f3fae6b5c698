import { as, type Authorities, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { isThisMachine } from '@connectivity/service-kit/text'
import type { DatabaseAddress } from './database-address.js'

interface Access {
  DATABASE_URL: string
  DATABASE_CA: Authorities
}

/** Warns about a remote database whose connection is not protected or whose certificate is not verified. */
function databaseCautions({ DATABASE_URL, DATABASE_CA }: Access): string[] {
  const isVouchedFor = DATABASE_CA.tls !== null || new URL(DATABASE_URL).searchParams.get('sslmode') === 'verify-full'
  if (isVouchedFor || isThisMachine(DATABASE_URL)) return []
  return ['DATABASE_URL is not protected by TLS: set DATABASE_CA, or sslmode=verify-full in the address']
}

/** Configuration keys of a service that has a database. */
export const databaseKeys = {
  DATABASE_URL: {
    about:
      "PostgreSQL address of the service's own database, with the role that may read and write but not change tables.",
    read: as.url('postgres', 'postgresql'),
    secret: true,
    caution: databaseCautions,
  },
  DATABASE_CA: {
    about:
      "Certificates (PEM) of the authorities that sign PostgreSQL's certificate. If set, connections use TLS and verify the host name (verify-full); new connections trust renewed ones. Empty: TLS as the address says.",
    read: as.authorities,
    fallback: '',
    document: true,
  },
} satisfies ConfigKeys

/** Configuration keys of the migration step. */
export const migrationKeys = {
  ...databaseKeys,
  MIGRATION_DATABASE_URL: {
    about:
      'Address of the same database for the role that owns its tables; that role migrates and grants the role of DATABASE_URL its rights. Empty: the role of DATABASE_URL migrates.',
    read: (text: string): string => (text === '' ? '' : as.url('postgres', 'postgresql')(text)),
    fallback: '',
    secret: true,
  },
} satisfies ConfigKeys

/** Address and trusted authorities of the configured database. */
export const databaseAccess = (config: ConfigOf<typeof databaseKeys>): DatabaseAddress => ({
  url: config.DATABASE_URL,
  authorities: config.DATABASE_CA,
})
