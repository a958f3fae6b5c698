import { createLogger } from '@connectivity/service-kit/logging'
import type { Kafka } from 'kafkajs'
import { createTopics } from '../src/topics/create-topics.js'
import { createKafka } from '../src/broker/kafka-client.js'

/** Kafka from this suite's environment: the broker that all suites share, and the prefix of this suite's topics. */
export const suiteBroker = {
  brokers: (process.env.KAFKA_BROKERS ?? '').split(','),
  topicPrefix: process.env.KAFKA_TOPIC_PREFIX ?? '',
}

/** @returns a client of the broker for the suite's own topics, which are deleted when the suite ends */
export async function suiteKafka({ partitions = 2 } = {}): Promise<Kafka> {
  // Marks for the suite's environment that there is something to delete.
  process.env.SUITE_HAS_TOPICS = 'true'
  const kafka = createKafka({ ...suiteBroker, instance: 'test' }, createLogger('test', 'silent'))
  await createTopics(kafka, partitions, 1)
  return kafka
}
