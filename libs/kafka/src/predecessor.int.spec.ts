import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Database } from '@connectivity/database/database'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka, Producer } from 'kafkajs'
import { applied, createServiceDatabase, fencesAtEnd, openKafka, topic } from '../test/fixture.js'
import { createProducer } from './kafka-client.js'

const script = fileURLToPath(new URL('../test/consumer-process.mjs', import.meta.url))
/** A crashed member is expelled by the broker after 10 s; whoever is clearly faster did not wait for that. */
const CLEARLY_FASTER = 8_000

let kafka: Kafka
let producer: Producer
let database: Database
let url: string
let drop: () => Promise<void>
let key: string
const children: ChildProcess[] = []

beforeAll(async () => {
  kafka = await openKafka()
  producer = createProducer(kafka)
  await producer.connect()
})
afterAll(() => producer.disconnect())
beforeEach(async () => {
  ;({ database, url, drop } = await createServiceDatabase())
  key = randomUUID()
  await fencesAtEnd(kafka, database, key)
})
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill))
  await drop()
})

function start(instance: string): ChildProcess {
  const env = {
    ...process.env,
    NODE_OPTIONS: '',
    DATABASE_URL: url,
    TOPIC: topic,
    GROUP: key,
    INSTANCE: instance,
    KEY: key,
  }
  const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  children.push(child)
  return child
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

const publish = (...values: string[]) =>
  producer.send({ topic, messages: values.map((value, partition) => ({ key, value, partition })) })

const expectApplied = (...values: string[]) =>
  eventually(async () => expect((await applied(database)).toSorted()).toEqual(values), { deadline: 20_000 })

it('a consumer that was killed is replaced at once, three times in a row, with nothing lost or twice', async () => {
  let child = start('one')
  await publish('0')
  await expectApplied('0')
  const all = ['0']
  for (const round of [1, 2, 3]) {
    await kill(child)
    const values = Array.from({ length: 12 }, (_, partition) => `${round} ${String(partition).padStart(2, '0')}`)
    all.push(...values)
    await publish(...values)
    const from = Date.now()
    child = start('one')
    await expectApplied(...all)
    expect(Date.now() - from).toBeLessThan(CLEARLY_FASTER)
  }
})

it('a second live process of the same name does not throw the first one out', async () => {
  const first = start('one')
  await publish('a')
  await expectApplied('a')
  start('one')
  const admin = kafka.admin()
  await admin.connect()
  const members = async () => (await admin.describeGroups([key])).groups[0]!.members.length
  await eventually(async () => expect(await members()).toBe(2), { deadline: 15_000 })
  await admin.disconnect()
  await publish('b')
  await expectApplied('a', 'b')
  expect(first.exitCode).toBeNull()
})
