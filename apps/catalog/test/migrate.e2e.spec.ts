import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'

const MIGRATE = fileURLToPath(new URL('../dist/migrate.js', import.meta.url))

let database: TestDatabase
const running: ChildProcess[] = []

/** Runs the built step as a deployment does, and records its standard error. */
function migrate(...args: string[]) {
  const child = spawn(process.execPath, [MIGRATE, ...args], {
    env: { ...process.env, DATABASE_URL: database.url, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  running.push(child)
  const step = { says: '', ended: once(child, 'exit').then(([code]) => code as number) }
  child.stderr.on('data', (text: Buffer) => (step.says += text.toString()))
  return step
}

beforeEach(async () => {
  database = await createDatabase()
})
afterEach(async () => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
  await database.drop()
})

describe('the deploy step', () => {
  it('migrates, and lets the processes that wait for it go on', async () => {
    const waiting = migrate('--wait')
    await eventually(() => expect(waiting.says).toContain('waiting for Catalog1795000000000'))
    expect(await migrate().ended).toBe(0)
    expect(await waiting.ended).toBe(0)
    const late = migrate('--wait')
    expect(await late.ended).toBe(0)
    expect(late.says).toBe('')
  })
})
