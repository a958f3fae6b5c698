import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '@connectivity/service-kit/config'
import { databaseAccess, migrationKeys } from '../config.js'
import { createDataSource, type DatabaseOptions } from '../database.js'
import { allowRuntimeRole, type RuntimeAccess } from './runtime-role.js'

/** Interval at which a waiting process checks for the migrations it needs, ms. */
const CHECK_EVERY = 1_000
const UNDEFINED_TABLE = '42P01'

/**
 * Deploy step: brings the schema of the configured database up to the given migrations, grants the service's role the
 * access that a service needs, and ends. With `--wait` it changes nothing and ends once another process has migrated:
 * of several processes that start together, only one may migrate.
 * @param appendOnly tables whose rows the service may add and read, but neither change nor delete
 */
export async function migrateConfiguredDatabase(
  migrations: DatabaseOptions['migrations'],
  appendOnly: readonly string[] = [],
  args: readonly string[] = process.argv.slice(2),
): Promise<void> {
  const config = readConfig(migrationKeys)
  const options = { ...databaseAccess(config), applicationName: 'migrate', migrations }
  if (args.includes('--wait')) return waitUntilMigrated(options)
  const { MIGRATION_DATABASE_URL: url } = config
  if (url === '') return migrate(options)
  const role = decodeURIComponent(new URL(config.DATABASE_URL).username)
  await migrate({ ...options, url }, { role, appendOnly })
}

/**
 * Runs the pending migrations, each in a transaction.
 * @param runtime the role that a service runs as, if another role migrates
 */
export async function migrate(options: DatabaseOptions, runtime?: RuntimeAccess): Promise<void> {
  const source = await createDataSource(options).initialize()
  try {
    await source.runMigrations()
    if (runtime) await allowRuntimeRole(source, runtime)
  } finally {
    await source.destroy()
  }
}

/** Names of the pending migrations. Applied ones that we do not know belong to a later version. */
export async function missingMigrations(options: DatabaseOptions): Promise<string[]> {
  const source = await createDataSource(options).initialize()
  try {
    const seen = await source.query<{ name: string }[]>('SELECT name FROM migration').catch(noneYet)
    const names = new Set(seen.map(({ name }) => name))
    return source.migrations.map(({ name, constructor }) => name ?? constructor.name).filter((name) => !names.has(name))
  } finally {
    await source.destroy()
  }
}

/** Resolves once the database has all the migrations, however long that takes, even if it is unavailable at first. */
export async function waitUntilMigrated(options: DatabaseOptions, report = toStandardError): Promise<void> {
  for (let last = ''; ; await delay(CHECK_EVERY)) {
    const missing = await missingMigrations(options).catch((error: Error) => [`an answer (${error.message})`])
    if (missing.length === 0) return
    const line = `waiting for ${missing.join(', ')}`
    if (line !== last) report(line)
    last = line
  }
}

const toStandardError = (line: string): void => void process.stderr.write(`${line}\n`)

function noneYet(error: { driverError?: { code?: string } }): [] {
  if (error.driverError?.code === UNDEFINED_TABLE) return []
  throw error
}
