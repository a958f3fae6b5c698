import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import * as expected from '@connectivity/testing/tables'
import { migrate } from '@connectivity/database/migrate'
import { parkedReasons } from '@connectivity/database/outbox'
import { deadLetterIds, deadLetterSettling } from '@connectivity/kafka/dead-letter-intake.store'
import { Client } from 'pg'

const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']
/** Tables that a service defines itself under the name of a shared one. */
const ownOf: Record<string, readonly string[]> = { gateway: ['connection'] }

/** Columns, constraints and indexes, as text, by table. */
const SHAPE = `
  SELECT table_name AS "table", json_agg(line ORDER BY line) AS lines FROM (
    SELECT c.table_name, format('%s %s %s %s', column_name, data_type, is_nullable, column_default) AS line
      FROM information_schema.columns c WHERE c.table_schema = 'public'
    UNION ALL
    SELECT relname, format('%s %s', conname, pg_get_constraintdef(k.oid))
      FROM pg_constraint k JOIN pg_class t ON t.oid = k.conrelid WHERE t.relnamespace = 'public'::regnamespace
    UNION ALL
    SELECT tablename, indexdef FROM pg_indexes WHERE schemaname = 'public') AS shape
  GROUP BY table_name`

async function shapeOf(url: string, statements: readonly string[] = []): Promise<Map<string, string[]>> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
    const { rows } = await client.query<{ table: string; lines: string[] }>(SHAPE)
    return new Map(rows.map(({ table, lines }) => [table, lines]))
  } finally {
    await client.end()
  }
}

describe('the migrated schema', () => {
  let libraries: TestDatabase
  let shapes: Map<string, string[]>
  beforeAll(async () => {
    libraries = await createDatabase()
    const tables: string[] = Object.values(expected)
    shapes = await shapeOf(libraries.url, [...tables, ...deadLetterIds, ...parkedReasons, ...deadLetterSettling])
  })
  afterAll(() => libraries.drop())

  it.each(services)('of %s has the tables of the libraries as they expect them', async (service) => {
    const database = await createDatabase()
    try {
      const module = (await import(`../../../apps/${service}/src/migrations/migrations.ts`)) as { migrations: [] }
      await migrate({ url: database.url, applicationName: 'test', migrations: module.migrations })
      const migrated = await shapeOf(database.url)
      const shared = [...shapes].filter(([table]) => migrated.has(table) && !ownOf[service]?.includes(table))
      expect(shared.map(([table]) => table)).toEqual(expect.arrayContaining(['outbox', 'dead_letter']))
      for (const [table, lines] of shared) expect([table, migrated.get(table)]).toEqual([table, lines])
    } finally {
      await database.drop()
    }
  })
})
