import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka, Producer } from 'kafkajs'
import { applied, createServiceDatabase, fencesAtEnd, openKafka, topic } from '../../test/fixture.js'
import { createProducer } from './kafka-client.js'

const script = fileURLToPath(new URL('../../test/consumer-process.ts', import.meta.url))
/** Time after which the broker expels a crashed member, ms: longer than a start on a slow machine takes. */
const SESSION_TIMEOUT = 90_000
const CLEARLY_FASTER = 60_000

let kafka: Kafka
let producer: Producer
const groups: { end: () => Promise<void> }[] = []

/** Consumers as separate processes, with a database, a group and keys that no other test has. */
async function openGroup() {
  const { database, url, drop } = await createServiceDatabase()
  const key = randomUUID()
  await fencesAtEnd(kafka, database, key)
  const children: ChildProcess[] = []
  const group = {
    key,
    start(instance: string): ChildProcess {
      const own = {
        NODE_OPTIONS: '',
        DATABASE_URL: url,
        TOPIC: topic,
        GROUP: key,
        INSTANCE: instance,
        KEY: key,
        SESSION_TIMEOUT: `${SESSION_TIMEOUT}`,
      }
      const stdio = ['ignore', 'inherit', 'inherit'] as const
      const child = spawn(process.execPath, [script], { env: { ...process.env, ...own }, stdio: [...stdio] })
      children.push(child)
      return child
    },
    publish: (...values: string[]) =>
      producer.send({ topic, messages: values.map((value, partition) => ({ key, value, partition })) }),
    expectApplied: (...values: string[]) =>
      eventually(async () => expect((await applied(database)).toSorted()).toEqual(values)),
    async end() {
      await Promise.all(children.map(kill))
      await drop()
    },
  }
  groups.push(group)
  return group
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Runs beside the other test: most of its time the second process waits for the first one's name. */
let besideLivePredecessor: ReturnType<typeof startBesideLivePredecessor>

async function startBesideLivePredecessor() {
  const { key, start, publish, expectApplied } = await openGroup()
  const first = start('one')
  await publish('a')
  await expectApplied('a')
  start('one')
  const admin = kafka.admin()
  await admin.connect()
  const members = async () => (await admin.describeGroups([key])).groups[0]!.members.length
  try {
    await eventually(async () => expect(await members()).toBe(2))
  } finally {
    await admin.disconnect()
  }
  await publish('b')
  await expectApplied('a', 'b')
  return first.exitCode
}

beforeAll(async () => {
  kafka = await openKafka()
  producer = createProducer(kafka)
  await producer.connect()
  besideLivePredecessor = startBesideLivePredecessor()
  besideLivePredecessor.catch(() => undefined)
})
afterAll(async () => {
  await besideLivePredecessor.catch(() => undefined)
  await Promise.all(groups.map((group) => group.end()))
  await producer.disconnect()
})

it('a killed consumer is replaced at once, three times in a row, with nothing lost or repeated', async () => {
  const { start, publish, expectApplied } = await openGroup()
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
}, 300_000)

it('a second live process of the same name does not evict the first one', async () => {
  expect(await besideLivePredecessor).toBeNull()
})
