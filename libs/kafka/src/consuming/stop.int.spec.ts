import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { jest } from '@jest/globals'
import type { Database } from '@connectivity/database'
import { Health } from '@connectivity/service-kit/service'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka } from 'kafkajs'
import { createServiceDatabase, openDatabase, openKafka, topic } from '../../test/fixture.js'
import { recordedLog } from '../../test/recorded-log.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { BatchConsumer } from './batch-consumer.js'
import { InstanceName } from '../broker/instance-name.js'
import { OutboxRelay } from '../outbox/outbox-relay.js'

/** Limit of a stop, ms: far below the 10 s that a stopping service has. */
const PROMPTLY = 4_000

let kafka: Kafka
let url: string
let databaseProxy: NetworkPath
let brokerProxy: NetworkPath
let throughDatabaseProxy: string
let throughBrokerProxy: string
let drop: () => Promise<void>
const exit = jest.spyOn(process, 'exit')

beforeAll(async () => {
  kafka = await openKafka()
  ;({ url, drop } = await createServiceDatabase())
  ;({ path: databaseProxy, url: throughDatabaseProxy } = await NetworkPath.before(url))
  const { path: proxy, url: brokerUrl } = await NetworkPath.before(`kafka://${suiteBroker.brokers[0]}`)
  brokerProxy = proxy
  throughBrokerProxy = new URL(brokerUrl).host
})
afterAll(async () => {
  databaseProxy.close()
  brokerProxy.close()
  await drop()
})
beforeEach(() => {
  exit.mockReset()
  exit.mockReturnValue(undefined as never)
})
afterEach(() => {
  databaseProxy.restore()
  brokerProxy.restore()
})

const options = (more: object = {}) => {
  const id = randomUUID()
  return { ...suiteBroker, service: 'test', group: `test-${id}`, instance: id, ...more }
}

/** Consumer and relay of one service, as Nest starts and stops them. */
function startService(database: Database, given = options()) {
  const { logger, lines } = recordedLog()
  const name = new InstanceName(given, logger, database)
  const consumer = new BatchConsumer(given, logger, database, name, new Health())
  const relay = new OutboxRelay(given, logger, database)
  consumer.addHandler(topic, async () => undefined, true)
  relay.onApplicationBootstrap()
  consumer.listen(() => undefined)
  const stop = async () => {
    await relay.onModuleDestroy()
    await consumer.close()
    await name.onApplicationShutdown()
  }
  return { stop, lines, group: given.group }
}

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind.startsWith('TCP')).length

/** Timers, sockets and connection attempts that are not in `before`, and could still cause something. */
function handlesBeyond(before: readonly string[]): string[] {
  const left = [...before]
  return process.getActiveResourcesInfo().filter((kind) => {
    // Services read no files here; Jest does.
    if (kind.startsWith('FSReq')) return false
    const at = left.indexOf(kind)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

describe('a service that stops while it starts', () => {
  const situations: [string, () => { given?: object; at?: string }][] = [
    ['everything it needs', () => ({})],
    ['a database that refuses connections', () => (databaseProxy.cut(), { at: throughDatabaseProxy })],
    ['a database that does not answer', () => (databaseProxy.stall(), { at: throughDatabaseProxy })],
    ['a broker that refuses connections', () => ({ given: { brokers: ['127.0.0.1:1'] } })],
    ['a broker that ends every connection', () => (brokerProxy.cut(), { given: { brokers: [throughBrokerProxy] } })],
    ['topics that are missing', () => ({ given: { topicPrefix: `missing-${randomUUID()}.` } })],
  ]

  describe.each(situations)('with %s', (_name, prepare) => {
    it.each([
      ['at once', async () => undefined],
      ['after a second', () => delay(1_000)],
    ])('leaves nothing behind when it is stopped %s', async (_when, wait) => {
      const { given, at = url } = prepare()
      const before = process.getActiveResourcesInfo()
      const database = openDatabase(at)
      const { stop, lines } = startService(database, options(given))
      await wait()
      const from = performance.now()
      await stop()
      expect(performance.now() - from).toBeLessThan(PROMPTLY)
      const written = lines.length
      databaseProxy.cut()
      await database.close()
      await eventually(() => expect(handlesBeyond(before)).toEqual([]), { deadline: 1_000 })
      expect(lines.slice(written)).toEqual([])
      expect(lines.filter(({ level }) => level === 'fatal' || level === 'error')).toEqual([])
      expect(exit).not.toHaveBeenCalled()
    })
  })

  it('is cut off from a broker that takes connections and does not answer', async () => {
    brokerProxy.stall()
    const before = process.getActiveResourcesInfo()
    const database = openDatabase(url)
    const { stop, lines } = startService(database, options({ brokers: [throughBrokerProxy] }))
    const open = sockets()
    await eventually(() => expect(sockets()).toBeGreaterThan(open))
    const from = performance.now()
    await stop()
    // Consumer and relay each wait for a connected broker, one after the other.
    expect(performance.now() - from).toBeLessThan(2 * 3_500)
    const written = lines.length
    await database.close()
    brokerProxy.cut()
    await eventually(() => expect(handlesBeyond(before)).toEqual([]), { deadline: 1_000 })
    expect(lines.slice(written)).toEqual([])
    expect(exit).not.toHaveBeenCalled()
  })

  it('leaves its consumer group when it is stopped at any point of its start', async () => {
    const admin = kafka.admin()
    await admin.connect()
    for (const milliseconds of [50, 100, 200, 300, 500]) {
      const database = openDatabase(url)
      const { stop, group } = startService(database)
      await delay(milliseconds)
      await stop()
      await database.close()
      const { groups } = await admin.describeGroups([group])
      expect(groups[0]!.members).toEqual([])
    }
    await admin.disconnect()
  })

  it('starts nothing when listen is called after the stop', async () => {
    const database = openDatabase(url)
    const { logger, lines } = recordedLog()
    const given = options()
    const name = new InstanceName(given, logger, database)
    const consumer = new BatchConsumer(given, logger, database, name, new Health())
    const reads = jest.spyOn(database, 'query')
    await consumer.close()
    consumer.listen(() => undefined)
    await consumer.close()
    expect(reads).not.toHaveBeenCalled()
    expect(lines).toEqual([])
    expect(exit).not.toHaveBeenCalled()
    await database.close()
  })
})

describe('the name of an instance', () => {
  it('ends its wait at a stop', async () => {
    const database = openDatabase(url)
    const given = options()
    const { logger } = recordedLog()
    const [holder, waiting] = [new InstanceName(given, logger, database), new InstanceName(given, logger, database)]
    expect(await holder.hold()).toBe(true)
    const held = waiting.hold().catch((error: Error) => error.message)
    const from = performance.now()
    await waiting.onApplicationShutdown()
    expect(performance.now() - from).toBeLessThan(PROMPTLY)
    expect(await held).toBe('the process stops')
    await holder.onApplicationShutdown()
    await database.close()
  })

  it('is taken again when its session is lost', async () => {
    const database = openDatabase(url)
    const name = new InstanceName(options(), recordedLog().logger, database)
    expect(await name.hold()).toBe(true)
    const lock = `FROM pg_locks WHERE locktype = 'advisory' AND granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
    const holders = async () => (await database.query<{ pid: number }>(`SELECT pid ${lock}`)).rows.map(({ pid }) => pid)
    const [before] = await holders()
    await database.query('SELECT pg_terminate_backend($1)', [before])
    // The old session may hold it for a moment longer.
    const isTakenAgain = async () => {
      const now = await holders()
      expect(now).toEqual([expect.any(Number)])
      expect(now).not.toEqual([before])
    }
    await eventually(isTakenAgain, { deadline: 15_000 })
    await name.onApplicationShutdown()
    await database.close()
  })

  it('stays with the process that took it in the meantime, and the other one says so', async () => {
    const [database, behindProxy] = [openDatabase(url), openDatabase(throughDatabaseProxy)]
    const given = options()
    const { logger, lines } = recordedLog()
    const [first, second] = [new InstanceName(given, logger, behindProxy), new InstanceName(given, logger, database)]
    expect(await first.hold()).toBe(true)
    databaseProxy.cut()
    expect(await second.hold()).toBe(true)
    databaseProxy.restore()
    const said = expect.objectContaining({ message: expect.stringContaining('another live process') })
    await eventually(() => expect(lines).toContainEqual(said), { deadline: 30_000 })
    await Promise.all([first, second].map((name) => name.onApplicationShutdown()))
    await Promise.all([database, behindProxy].map((one) => one.close()))
  })
})
