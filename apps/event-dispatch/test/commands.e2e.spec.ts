import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { Client } from 'pg'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const MIGRATE = 'apps/event-dispatch/dist/migrate.js'
const REWRAP = 'apps/event-dispatch/dist/rewrap.js'
const TOPICS = 'libs/kafka/dist/create-topics.main.js'

/** Runs a deploy step with only the given environment. */
function run(command: string, env: Record<string, string>) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command], { cwd: ROOT, env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

describe('commands', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  let database: TestDatabase
  beforeAll(async () => void (database = await createDatabase()))
  afterAll(async () => {
    await database.drop()
    rmSync(folder, { recursive: true })
  })
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }

  it('take their secrets from files', async () => {
    const env = {
      DATABASE_URL_FILE: file('url', `${database.url}\n`),
      KEY_ENCRYPTION_KEYS_FILE: file('keys', `k1:${Buffer.alloc(32, 1).toString('base64')}\n`),
    }
    expect(run(MIGRATE, env)).toMatchObject({ status: 0, stderr: '' })
    const client = new Client({ connectionString: database.url })
    await client.connect()
    const { rows } = await client.query(`SELECT name FROM migration WHERE name LIKE 'EventTraces%'`)
    await client.end()
    expect(rows).toHaveLength(1)
    expect(run(REWRAP, env)).toMatchObject({ status: 0, stdout: '0 re-wrapped under k1, 0 failed\n', stderr: '' })
  })

  it('name every invalid setting and no value', () => {
    const url = 'postgres://role:hunter2@127.0.0.1/x'
    const twice = run(REWRAP, { DATABASE_URL: url, DATABASE_URL_FILE: file('url', url) })
    expect(twice.status).toBe(1)
    expect(twice.stderr).toMatch(/DATABASE_URL is given twice.*; KEY_ENCRYPTION_KEYS is required/)
    const unreadable = run(MIGRATE, { DATABASE_URL_FILE: join(folder, 'missing') })
    expect(unreadable).toMatchObject({ status: 1, stdout: '' })
    expect(unreadable.stderr).toContain(`DATABASE_URL cannot be read from ${join(folder, 'missing')}: ENOENT`)
    const topics = run(TOPICS, { KAFKA_BROKERS: 'hunter2', KAFKA_PARTITIONS: '0' })
    expect(topics.status).toBe(1)
    expect(topics.stderr).toMatch(/KAFKA_BROKERS must be a list of host:port.*; KAFKA_PARTITIONS must be a positive/)
    for (const { stderr } of [twice, unreadable, topics]) expect(stderr).not.toContain('hunter2')
  })
})
