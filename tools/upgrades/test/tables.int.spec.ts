import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import * as expected from '@connectivity/testing/tables'
import { advisoryLocks, maintainPartitions } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { DeadLetterIds1795500000000, DeadLetterSettling1795700000001 } from '@connectivity/kafka/migrations'
import { Client } from 'pg'
import { statementsOf } from '../statements.ts'

const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']
/** Tables that a service defines itself under the name of a shared one. */
const ownOf: Record<string, readonly string[]> = { gateway: ['connection'] }

const DAY = 86_400_000

/** Migrations that services share. */
const shared = [DeadLetterIds1795500000000, OutboxParkedReason1795700000000, DeadLetterSettling1795700000001]

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

async function connected<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}

async function shapeOf(client: Client): Promise<Map<string, string[]>> {
  const { rows } = await client.query<{ table: string; lines: string[] }>(SHAPE)
  return new Map(rows.map(({ table, lines }) => [table, lines]))
}

/** Makes the tables of the libraries without any service's migrations. */
async function createTables(client: Client): Promise<void> {
  const later = (await Promise.all(shared.map(statementsOf))).flat()
  for (const statement of [...Object.values<string>(expected), ...later]) await client.query(statement)
}

/** Runs `use` on a new database with a service's schema. */
async function onMigrated<Result>(service: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const database = await createDatabase()
  try {
    const module = (await import(`../../../apps/${service}/src/migrations/migrations.ts`)) as { migrations: [] }
    await migrate({ url: database.url, applicationName: 'test', migrations: module.migrations })
    return await connected(database.url, use)
  } finally {
    await database.drop()
  }
}

describe('the migrated schema', () => {
  let libraries: TestDatabase
  let shapes: Map<string, string[]>
  beforeAll(async () => {
    libraries = await createDatabase()
    shapes = await connected(libraries.url, async (client) => {
      await createTables(client)
      return shapeOf(client)
    })
  })
  afterAll(() => libraries.drop())

  it.each(services)('of %s has the tables of the libraries as they expect them', async (service) => {
    const migrated = await onMigrated(service, shapeOf)
    const common = [...shapes].filter(([table]) => migrated.has(table) && !ownOf[service]?.includes(table))
    expect(common.map(([table]) => table)).toEqual(expect.arrayContaining(['outbox', 'dead_letter']))
    for (const [table, lines] of common) expect([table, migrated.get(table)]).toEqual([table, lines])
  })

  it.each([
    ['gateway', 'logged_request', 1],
    ['reservation-feed', 'reservation_stamp', 7],
  ])(
    'of %s keeps each partition of %s for the days that the service says, under its lock',
    async (service, table, width) => {
      await onMigrated(service, async (client) => {
        const { rows } = await client.query<{ prosrc: string }>('SELECT prosrc FROM pg_proc WHERE proname = $1', [
          `maintain_${table}`,
        ])
        for (const { prosrc } of rows)
          expect(prosrc).toContain(`pg_advisory_xact_lock(${advisoryLocks.partitions(table)})`)
        const first = new Date(Date.now() - 30 * DAY).toISOString().slice(0, 10)
        const name = `${table}_${first.replaceAll('-', '')}`
        await client.query(
          `CREATE TABLE ${name} PARTITION OF ${table} FOR VALUES FROM ('${first}') TO ('${first}'::date + ${width})`,
        )
        expect(await maintainPartitions(client, { table, days: 30 })).toBe(0)
        expect(await maintainPartitions(client, { table, days: 30 - width })).toBe(1)
      })
    },
  )
})
