import 'reflect-metadata'
import { readFileSync } from 'node:fs'
import { faultsOf } from '../faults.ts'
import { type MigrationClass, digestOf, statementsOf } from '../statements.ts'

interface Migration extends MigrationClass {
  /** Builds of this release and later work with the migrated schema. */
  readonly compatibleSince?: string
}

const services = ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']
const released = JSON.parse(readFileSync(new URL('../released.json', import.meta.url), 'utf8')) as {
  version: string
  migrations: Record<string, Record<string, string>>
}

async function migrationsOf(service: string): Promise<readonly Migration[]> {
  const module = (await import(`../../../apps/${service}/src/migrations/migrations.ts`)) as { migrations: Migration[] }
  return module.migrations
}

/** Has the number of `OutboxParkedReason`. Applied migrations keep their names, so it stays. */
const SHARES_ITS_NUMBER = 'RetryTimes1795700000000'

const isAtMost = (given: string, limit: string): boolean => given.localeCompare(limit, 'en', { numeric: true }) <= 0

describe('migrations, by docs/operations/upgrading.md,', () => {
  it.each(services)('of %s that were released are unchanged and in the same order', async (service) => {
    const known = Object.entries(released.migrations[service]!)
    const now = (await migrationsOf(service)).slice(0, known.length)
    const digests = await Promise.all(
      now.map(async (migration) => [migration.name, digestOf(await statementsOf(migration))]),
    )
    expect(digests).toEqual(known)
  })

  it.each(services)('of %s have rising numbers, in whose order TypeORM runs them', async (service) => {
    const names = (await migrationsOf(service)).map(({ name }) => name).filter((name) => name !== SHARES_ITS_NUMBER)
    const numbers = names.map((name) => Number(/\d{13}$/.exec(name)![0]))
    expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other))
  })

  it.each(services)('of %s that are new only add objects, or name the first compatible release', async (service) => {
    const added = (await migrationsOf(service)).slice(Object.keys(released.migrations[service]!).length)
    for (const migration of added) {
      const { name, compatibleSince } = migration
      if (compatibleSince !== undefined) expect(isAtMost(compatibleSince, released.version)).toBe(true)
      else expect([name, faultsOf(await statementsOf(migration))]).toEqual([name, []])
    }
  })
})

describe('a change that breaks the builds of the previous release', () => {
  it.each([
    ['takes away', 'ALTER TABLE booking DROP COLUMN kept'],
    ['takes away', 'DROP TABLE booking'],
    ['takes away', 'DROP INDEX feed_row_place'],
    ['renames', 'ALTER TABLE booking RENAME COLUMN kept TO held'],
    ['renames', 'ALTER TABLE booking RENAME TO reservation'],
    ['retypes', 'ALTER TABLE booking ALTER COLUMN version TYPE integer'],
    ['tightens', 'ALTER TABLE booking ALTER COLUMN kept SET NOT NULL'],
    ['tightens', 'ALTER TABLE booking ADD COLUMN a numeric(5, 2), ADD COLUMN b text NOT NULL'],
    ['tightens', 'ALTER TABLE booking ADD CONSTRAINT kept CHECK (kept IS NOT NULL)'],
    ['tightens', 'CREATE UNIQUE INDEX kept ON booking (kept)'],
    ['rewrites rows', 'UPDATE booking SET kept = NULL'],
    ['changes what a write does', 'CREATE TRIGGER kept BEFORE INSERT ON booking EXECUTE FUNCTION f()'],
  ])('%s: %s', (fault, statement) => {
    expect(faultsOf([statement])).toEqual([`${fault}: ${statement}`])
  })

  it.each([
    'CREATE TABLE note (text text NOT NULL UNIQUE)',
    'ALTER TABLE booking ADD COLUMN a text, ADD COLUMN b bigint NOT NULL DEFAULT 0',
    'ALTER TABLE booking ALTER COLUMN kept DROP NOT NULL',
    'ALTER TABLE booking DROP CONSTRAINT kept',
    'CREATE INDEX kept ON booking (kept)',
  ])('is not: %s', (statement) => {
    expect(faultsOf([statement])).toEqual([])
  })

  it('is not a change of a table that is new itself', () => {
    const steps = [
      'CREATE TABLE note (text text)',
      'CREATE UNIQUE INDEX n ON note (text)',
      'ALTER TABLE note ADD CHECK (true)',
    ]
    expect(faultsOf(steps)).toEqual([])
  })

  it('is found in the statements of a migration, regardless of their layout', async () => {
    class Spread {
      async up(runner: { query: (sql: string) => Promise<unknown> }): Promise<void> {
        await runner.query(`ALTER TABLE booking -- RENAME nothing
          DROP COLUMN kept; COMMENT ON TABLE booking IS 'a; b'`)
      }
    }
    const steps = await statementsOf(Spread)
    expect(steps).toEqual(['ALTER TABLE booking DROP COLUMN kept', "COMMENT ON TABLE booking IS 'a; b'"])
    expect(faultsOf(steps)).toHaveLength(1)
  })
})
