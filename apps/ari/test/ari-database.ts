import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { createDatabase } from '@connectivity/testing/database'
import { migrations } from '../src/migrations/migrations.js'

/** A migrated database of ARI for one suite. */
export interface AriDatabase {
  /** Connects to it, as a replica does. */
  connect: () => Database
  /** Closes every connection and removes it. */
  end: () => Promise<void>
}

/** Creates a database of ARI. */
export async function ariDatabase(): Promise<AriDatabase> {
  const { url, drop } = await createDatabase()
  const options = { url, applicationName: 'test', migrations }
  await migrate(options)
  const opened: Database[] = []
  const connect = () => {
    const database = new Database(options)
    opened.push(database)
    return database
  }
  const end = async () => {
    await Promise.all(opened.map((database) => database.close()))
    await drop()
  }
  return { connect, end }
}
