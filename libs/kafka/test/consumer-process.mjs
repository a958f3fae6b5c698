// A consumer as a process of its own, from the built library: a test kills it.
import { Database } from '@connectivity/database/database'
import { BatchConsumer } from '@connectivity/kafka/batch-consumer'
import { InstanceName } from '@connectivity/kafka/instance-name'
import { Health } from '@connectivity/service-kit/health'
import { createLogger } from '@connectivity/service-kit/logging'
import { Kafka } from 'kafkajs'

const { DATABASE_URL, KAFKA_BROKERS, KAFKA_TOPIC_PREFIX, TOPIC, GROUP, INSTANCE, KEY, SESSION_TIMEOUT } = process.env
// The broker expels a crashed member only after this time, so a replacement that comes earlier did not wait for it.
const timeout = Number(SESSION_TIMEOUT)
const { consumer: createConsumer } = Kafka.prototype
Kafka.prototype.consumer = function (options) {
  return createConsumer.call(this, { ...options, sessionTimeout: timeout, rebalanceTimeout: timeout })
}

const logger = createLogger('consumer-process', 'silent')
const broker = { brokers: KAFKA_BROKERS.split(','), topicPrefix: KAFKA_TOPIC_PREFIX }
const options = { ...broker, group: GROUP, instance: INSTANCE }
const database = new Database({ url: DATABASE_URL, applicationName: INSTANCE, migrations: [] })
const name = new InstanceName(options, logger, database)
const consumer = new BatchConsumer(options, logger, database, name, new Health())

async function write({ messages, tx }) {
  for (const { offset, key, value } of messages) {
    if (`${key}` !== KEY) continue
    await tx.query('INSERT INTO applied (message_offset, key, value) VALUES ($1, $2, $3)', [offset, KEY, `${value}`])
  }
}

consumer.addHandler(TOPIC, write, true)
consumer.listen(() => undefined)
