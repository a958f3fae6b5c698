import { readConfig } from '@connectivity/service-kit/config'
import { databaseKeys } from './config.js'
import { createDataSource, type DatabaseOptions } from './database.js'

/** Deploy step: brings the schema of the configured database up to the given migrations, then ends. */
export async function migrateConfiguredDatabase(migrations: DatabaseOptions['migrations']): Promise<void> {
  const { DATABASE_URL } = readConfig(databaseKeys)
  await migrate({ url: DATABASE_URL, applicationName: 'migrate', migrations })
}

/** Runs the migrations that the database has not seen, each in a transaction. */
export async function migrate(options: DatabaseOptions): Promise<void> {
  const source = await createDataSource(options).initialize()
  try {
    await source.runMigrations()
  } finally {
    await source.destroy()
  }
}
