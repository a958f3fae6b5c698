import { randomUUID } from 'node:crypto'
import { createLogger } from '@connectivity/service-kit/logging'
import { topics } from '@connectivity/contracts/topics'
import { eventually } from '@connectivity/testing/eventually'
import type { Kafka } from 'kafkajs'
import { suiteBroker, suiteKafka } from '../../test/suite-kafka.js'
import { createConsumer, createKafka, createProducer } from './kafka-client.js'

const topic = 'connectivity.reservation-events.v1'
const logger = createLogger('test', 'silent')

/** All topic names on the broker. */
const plain = (): Kafka => createKafka({ brokers: suiteBroker.brokers, instance: 'test' }, logger)

async function withAdmin<T>(kafka: Kafka, work: (admin: ReturnType<Kafka['admin']>) => Promise<T>): Promise<T> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

describe('a topic prefix', () => {
  it('is visible on the broker and nowhere in the process', async () => {
    const kafka = await suiteKafka({ partitions: 1 })
    const inside = await withAdmin(kafka, (admin) => admin.listTopics())
    const outside = await withAdmin(plain(), (admin) => admin.listTopics())
    expect(inside.toSorted()).toEqual(Object.keys(topics).toSorted())
    expect(outside).toContain(`${suiteBroker.topicPrefix}${topic}`)
  })

  it('follows a message from the producer through the batch to the committed offset', async () => {
    const kafka = await suiteKafka({ partitions: 1 })
    const group = randomUUID()
    const producer = createProducer(kafka)
    const consumer = createConsumer(kafka, group)
    const seen: string[] = []
    const assigned: string[] = []
    consumer.on(consumer.events.GROUP_JOIN, ({ payload }) => {
      assigned.push(...Object.keys(payload.memberAssignment))
      consumer.seek({ topic, partition: 0, offset: '1' })
    })
    try {
      await Promise.all([producer.connect(), consumer.connect()])
      await producer.send({ topic, messages: [{ value: 'skipped by the seek' }, { value: 'read' }] })
      await producer.sendBatch({ topicMessages: [{ topic, messages: [{ value: 'read too' }] }] })
      await consumer.subscribe({ topics: [topic], fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatch: async ({ batch }) => {
          for (const { value } of batch.messages) seen.push(`${batch.topic} ${batch.partition}: ${value}`)
        },
      })
      await eventually(() => expect(seen).toEqual([`${topic} 0: read`, `${topic} 0: read too`]))
      expect(assigned).toEqual([topic])
      await consumer.commitOffsets([{ topic, partition: 0, offset: '3' }])
      const [offsets] = await withAdmin(kafka, (admin) => admin.fetchOffsets({ groupId: group, topics: [topic] }))
      expect(offsets).toMatchObject({ topic, partitions: [{ partition: 0, offset: '3' }] })
      expect(await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic))).toMatchObject([{ high: '3' }])
    } finally {
      await Promise.all([producer.disconnect(), consumer.disconnect()])
    }
  })
})
