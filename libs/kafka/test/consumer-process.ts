// A consumer as a process of its own, from the built library: a test kills it.
/* eslint-disable @nx/enforce-module-boundaries -- only the built library runs without Jest, and only its name leads there */
import { Database } from '@connectivity/database'
import { BatchConsumer, type TopicBatch } from '@connectivity/kafka/consuming'
import { InstanceName } from '@connectivity/kafka/broker'
import { Health } from '@connectivity/service-kit/service'
import { createLogger } from '@connectivity/service-kit/logging'
import { type ConsumerConfig, Kafka } from 'kafkajs'

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

// The broker expels a crashed member only after this time, so a replacement that comes earlier did not wait for it.
const timeout = Number(variable('SESSION_TIMEOUT'))
const { consumer: createConsumer } = Kafka.prototype
Kafka.prototype.consumer = function (this: Kafka, options?: ConsumerConfig) {
  return createConsumer.call(this, { ...options!, sessionTimeout: timeout, rebalanceTimeout: timeout })
}

const key = variable('KEY')
const instance = variable('INSTANCE')
const logger = createLogger('consumer-process', 'silent')
const broker = { brokers: variable('KAFKA_BROKERS').split(','), topicPrefix: variable('KAFKA_TOPIC_PREFIX') }
const options = { ...broker, service: 'test', group: variable('GROUP'), instance }
const database = new Database({ url: variable('DATABASE_URL'), applicationName: instance, migrations: [] })
const name = new InstanceName(options, logger, database)
const consumer = new BatchConsumer(options, logger, database, name, new Health())

async function write({ messages, tx }: TopicBatch): Promise<void> {
  for (const { offset, key: found, value } of messages) {
    if (`${found}` !== key) continue
    await tx.query('INSERT INTO applied (message_offset, key, value) VALUES ($1, $2, $3)', [offset, key, `${value}`])
  }
}

consumer.addHandler(variable('TOPIC'), write, true)
consumer.listen(() => undefined)
