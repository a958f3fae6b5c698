import { NetworkPath } from '@connectivity/toolkit/network-path'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import type { MigrationInterface, QueryRunner } from 'typeorm'
import { migrate, missingMigrations, waitUntilMigrated } from './migrate.js'

class First1795000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE note (text text)')
  }

  async down(): Promise<void> {}
}

class Second1795000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE note ADD COLUMN at timestamptz')
  }

  async down(): Promise<void> {}
}

let server: TestDatabase
const version = (...migrations: (new () => MigrationInterface)[]) => ({
  url: server.url,
  applicationName: 'test',
  migrations,
})

beforeEach(async () => {
  server = await createDatabase()
})
afterEach(() => server.drop())

describe('a process that waits for its migrations', () => {
  it('reports what it waits for, and continues when another process has run them', async () => {
    const lines: string[] = []
    const next = version(First1795000000000, Second1795000000001)
    const waiting = waitUntilMigrated(next, (line) => lines.push(line))
    await eventually(() => expect(lines).toEqual(['waiting for First1795000000000, Second1795000000001']))
    await migrate(version(First1795000000000))
    await eventually(() => expect(lines.at(-1)).toBe('waiting for Second1795000000001'))
    await migrate(next)
    await waiting
    expect(await missingMigrations(next)).toEqual([])
  })

  it('changes nothing itself', async () => {
    expect(await missingMigrations(version(First1795000000000))).toEqual(['First1795000000000'])
    expect(await missingMigrations(version(First1795000000000))).toEqual(['First1795000000000'])
  })

  it('accepts the schema of a later version', async () => {
    await migrate(version(First1795000000000, Second1795000000001))
    await waitUntilMigrated(version(First1795000000000))
  })

  it('waits for an unavailable database', async () => {
    await migrate(version(First1795000000000))
    const { path: proxy, url } = await NetworkPath.before(server.url)
    proxy.cut()
    const lines: string[] = []
    const waiting = waitUntilMigrated({ ...version(First1795000000000), url }, (line) => lines.push(line))
    await eventually(() => expect(lines.join()).toContain('waiting for an answer'))
    proxy.restore()
    await waiting
    proxy.close()
  })
})
