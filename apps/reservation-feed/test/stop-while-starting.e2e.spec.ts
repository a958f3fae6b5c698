import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { migrate } from '@connectivity/database/migrate'
import { suiteBroker } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { migrations } from '../src/migrations/migrations.js'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
/** Relay and consumer stop one after the other, each within 4.2 s, as `BrokerConnections` says. */
const IN_TIME = 9_000

let database: Awaited<ReturnType<typeof createDatabase>>
let child: ChildProcess
let log: string[]

beforeAll(async () => {
  database = await createDatabase()
  await migrate(
    { url: database.url, applicationName: 'test', migrations },
    { role: database.serviceRole, appendOnly: [] },
  )
})
afterAll(() => database.drop())
afterEach(async () => {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'close')
  child.kill('SIGKILL')
  await ended
})

async function start(env: Record<string, string>): Promise<void> {
  log = []
  const own = {
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    LOG_LEVEL: 'info',
    DATABASE_URL: database.serviceUrl,
    KAFKA_BROKERS: suiteBroker.brokers.join(','),
    KAFKA_TOPIC_PREFIX: suiteBroker.topicPrefix,
    KAFKA_GROUP_SUFFIX: `-${randomUUID()}`,
    INSTANCE_NAME: 'reservation-feed',
    IDENTITY_KEY: randomBytes(32).toString('base64'),
    CURSOR_KEYS: `c1:${randomBytes(32).toString('base64')}`,
    NODE_OPTIONS: '',
  }
  const given = { env: { ...process.env, ...own, ...env }, stdio: ['ignore', 'pipe', 'pipe'] as const }
  child = spawn(process.execPath, [MAIN], { ...given, stdio: [...given.stdio] })
  for (const output of [child.stdout!, child.stderr!]) createInterface(output).on('line', (line) => log.push(line))
  await eventually(() => expect(log.join('\n')).toContain('"msg":"started"'))
}

describe('a service that gets SIGTERM while its consumer starts', () => {
  it.each([
    ['topics that are missing', { KAFKA_TOPIC_PREFIX: `missing-${randomUUID()}.` }],
    ['a broker that is away', { KAFKA_BROKERS: '127.0.0.1:1' }],
  ])('ends in time and without an error, with %s', async (_name, env) => {
    await start(env)
    const ended = once(child, 'close')
    const from = performance.now()
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(performance.now() - from).toBeLessThan(IN_TIME)
    expect(log.filter((line) => !/"level":[1-3]0,/.test(line))).toEqual([])
  })
})
