import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Admin, Kafka } from 'kafkajs'
import { openKafka, topic } from '../../test/fixture.js'
import { waitForLeaders } from './wait-for-leaders.js'

/** Handles that are open; writes to the suite's log come and go. */
const openResources = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind !== 'FSReqCallback')

describe('leaders of topics', () => {
  let kafka: Kafka
  let admin: Admin

  beforeAll(async () => {
    kafka = await openKafka()
    admin = kafka.admin()
    await admin.connect()
  })
  afterAll(() => admin.disconnect())

  const create = (names: readonly string[]) =>
    admin.createTopics({ waitForLeaders: false, topics: names.map((name) => ({ topic: name, numPartitions: 2 })) })
  const fresh = (count: number) => Array.from({ length: count }, () => `led-${randomUUID()}`)

  it('exist when the wait for a topic that has just been created ends', async () => {
    for (let round = 0; round < 5; round++) {
      const names = fresh(4)
      await create(names)
      await waitForLeaders(kafka, names)
      for (const name of names) expect(await admin.fetchTopicOffsets(name)).toHaveLength(2)
    }
  })

  it('are awaited while the brokers do not know the topic yet', async () => {
    const names = fresh(2)
    let hasEnded = false
    const waiting = waitForLeaders(kafka, [topic, ...names]).finally(() => (hasEnded = true))
    await delay(500)
    expect(hasEnded).toBe(false)
    await create(names)
    await waiting
  })

  it('are reported missing by topic at the deadline, and nothing runs after that', async () => {
    const before = openResources()
    const began = Date.now()
    await expect(waitForLeaders(kafka, [topic, 'nobody-creates-this', 'nor-this'], 1_000)).rejects.toThrow(
      /^topics have no leader after 1000 ms: nobody-creates-this, nor-this$/,
    )
    expect(Date.now() - began).toBeLessThan(3_000)
    expect(openResources()).toEqual(before)
  })
})
