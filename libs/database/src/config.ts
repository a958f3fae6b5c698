import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { isThisMachine } from '@connectivity/service-kit/text'

interface Access {
  DATABASE_URL: string
  DATABASE_CA: string
}

/** Warns about a remote database whose connection is not protected or whose certificate is not verified. */
function databaseCautions({ DATABASE_URL, DATABASE_CA }: Access): string[] {
  const isVouchedFor = DATABASE_CA !== '' || new URL(DATABASE_URL).searchParams.get('sslmode') === 'verify-full'
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
      'Certificates (PEM) of the authorities that PostgreSQL is trusted by; with them it is reached over TLS and asked for its name (verify-full). Empty: as the address says.',
    read: as.pem,
    fallback: '',
    document: true,
  },
} satisfies ConfigKeys

/** Configuration keys of the migration step. */
export const migrationKeys = {
  ...databaseKeys,
  MIGRATION_DATABASE_URL: {
    about:
      'The same database with the role that owns its tables, which migrates and allows the role of DATABASE_URL what a service does. Empty: that role migrates itself.',
    read: (text: string): string => (text === '' ? '' : as.url('postgres', 'postgresql')(text)),
    fallback: '',
    secret: true,
  },
} satisfies ConfigKeys

/** Address and trusted certificates of the configured database. */
export const databaseAccess = (config: ConfigOf<typeof databaseKeys>): { url: string; ca: string } => ({
  url: config.DATABASE_URL,
  ca: config.DATABASE_CA,
})
