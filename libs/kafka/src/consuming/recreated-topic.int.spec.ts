import { randomUUID } from 'node:crypto'
import { jest } from '@jest/globals'
import type { Database } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import type { Consumer, Kafka } from 'kafkajs'
import {
  applied,
  createServiceDatabase,
  logger,
  openKafka,
  runConsumer,
  topic,
  writeApplied,
} from '../../test/fixture.js'
import { suiteBroker } from '../../test/suite-kafka.js'
import { consumerLag } from '../broker/kafka-metrics.js'
import { createTopics } from '../topics/create-topics.js'
import { WatchedLog } from '../topics/watched-log.js'
import type { BatchHandler } from './batch-transaction.js'

const PARTITION = 5
const KEY = 'key'

let kafka: Kafka
let database: Database
let drop: () => Promise<void>
beforeAll(async () => {
  kafka = await openKafka()
  ;({ database, drop } = await createServiceDatabase())
})
afterAll(() => drop())

async function publish(...values: string[]): Promise<void> {
  const producer = kafka.producer()
  await producer.connect()
  await producer.send({ topic, messages: values.map((value) => ({ key: KEY, partition: PARTITION, value })) })
  await producer.disconnect()
}

/** Deletes the topic and creates it again once the consumer has tried to read what no longer exists. */
async function recreateTopic({ on, events }: Consumer): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [topic] })
  await eventually(async () => expect(await admin.listTopics()).not.toContain(topic))
  await admin.disconnect()
  let fetches = 0
  const forget = on(events.FETCH_START, () => fetches++)
  await eventually(() => expect(fetches).toBeGreaterThan(1))
  forget()
  await createTopics(kafka, 12, 1)
}

async function lag(): Promise<number | undefined> {
  const { values } = await consumerLag.get()
  return values.find(({ labels }) => labels.partition === PARTITION)?.value
}

describe('a topic that is recreated beside a running consumer', () => {
  it('is read from its beginning, and the lag is not 0 before its messages take effect', async () => {
    const error = jest.spyOn(logger, 'error')
    const group = `test-${randomUUID()}`
    const watched = new WatchedLog(
      { ...suiteBroker, service: 'test', group, instance: 'test' },
      topic,
      logger,
      database,
    )
    const lags: (number | undefined)[] = []
    const handle: BatchHandler = async (batch) => {
      if (batch.messages.some(({ value }) => `${value}` === 'new')) {
        await eventually(() => expect(watched.lagMilliseconds()).toBeGreaterThan(0))
        lags.push(await lag())
      }
      await writeApplied(KEY)(batch)
    }
    const { consumer, stop } = runConsumer(database, handle, { group })
    watched.onApplicationBootstrap()
    try {
      await publish('a', 'b', 'c')
      await eventually(async () => expect(await applied(database)).toEqual(['a', 'b', 'c']))
      await recreateTopic(consumer.unwrap<Consumer>())
      await publish('new')
      await eventually(async () => expect(await applied(database)).toEqual(['a', 'b', 'c', 'new']))
      await eventually(async () => expect([await lag(), watched.lagMilliseconds()]).toEqual([0, 0]))
      expect(new Set(lags)).toEqual(new Set([1]))
      expect(error.mock.calls).toEqual([
        [
          { topic, partition: PARTITION },
          'committed offset is beyond the end of the log; restarting from the beginning',
        ],
      ])
    } finally {
      await watched.onModuleDestroy()
      await stop()
    }
  })
})
