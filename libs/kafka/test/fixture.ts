import { randomUUID } from 'node:crypto'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import { OutboxParkedReason1795700000000 } from '@connectivity/database/migrations'
import { Health } from '@connectivity/service-kit/service'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase } from '@connectivity/testing/database'
import { deadLetterTable, offsetFenceTable, outboxTable } from '@connectivity/testing/tables'
import type { Kafka } from 'kafkajs'
import { BatchConsumer } from '../src/consuming/batch-consumer.js'
import type { BatchHandler } from '../src/consuming/batch-transaction.js'
import { InstanceName } from '../src/broker/instance-name.js'
import { DeadLetterIds1795500000000 } from '../src/migrations/1795500000000-dead-letter-ids.js'
import { DeadLetterSettling1795700000001 } from '../src/migrations/1795700000001-dead-letter-settling.js'
import type { KafkaOptions } from '../src/broker/kafka-client.js'
import { suiteBroker, suiteKafka } from './suite-kafka.js'

export const logger = createLogger('test', process.env.LOG_LEVEL ?? 'silent')

/** A topic of the suite, under a name that consumers may subscribe to. */
export const topic = 'connectivity.reservation-events.v1'

class TestTables1 {
  name = 'TestTables1795000000000'

  async up(runner: { query: (sql: string) => Promise<unknown> }): Promise<void> {
    const applied = 'CREATE TABLE applied (id bigserial, message_offset bigint, key text, value text)'
    for (const statement of [applied, outboxTable, offsetFenceTable, deadLetterTable]) await runner.query(statement)
  }

  async down(): Promise<void> {}
}

const migrations = [
  TestTables1,
  DeadLetterIds1795500000000,
  OutboxParkedReason1795700000000,
  DeadLetterSettling1795700000001,
]

/** A database with the tables that consumers and the outbox need, and `applied` for what handlers write. */
export async function createServiceDatabase(): Promise<{ database: Database; url: string; drop: () => Promise<void> }> {
  const server = await createDatabase()
  const options = { url: server.url, applicationName: 'test', migrations }
  await migrate(options)
  const database = new Database(options)
  const drop = async () => {
    await database.close()
    await server.drop()
  }
  return { database, url: server.url, drop }
}

/** Opens the same database again, as another process would, or through a proxy. */
export const openDatabase = (url: string): Database => new Database({ url, applicationName: 'test', migrations: [] })

/** A client of the suite's topics, which exist and have leaders. */
export const openKafka = (): Promise<Kafka> => suiteKafka({ partitions: 12 })

/** Handler that writes the messages whose key begins with `prefix` to `applied`. */
export const writeApplied =
  (prefix: string): BatchHandler =>
  async ({ messages, tx }) => {
    for (const { offset, key, value } of messages) {
      if (!key?.toString().startsWith(prefix)) continue
      await tx.query('INSERT INTO applied (message_offset, key, value) VALUES ($1, $2, $3)', [
        offset,
        `${key}`,
        `${value}`,
      ])
    }
  }

/** Keys or values in the order in which they took effect. */
export async function applied(
  database: Database,
  column: 'key' | 'value' | 'message_offset' = 'value',
): Promise<string[]> {
  const { rows } = await database.query<Record<string, string>>(`SELECT ${column} FROM applied ORDER BY id`)
  return rows.map((row) => row[column]!)
}

/** Starts a group at the current end of the topic, so that it sees nothing of earlier tests. */
export async function fencesAtEnd(kafka: Kafka, database: Database, group: string): Promise<void> {
  const admin = kafka.admin()
  await admin.connect()
  const ends = await admin.fetchTopicOffsets(topic)
  await admin.disconnect()
  for (const { partition, high } of ends) {
    await database.query('INSERT INTO consumed_offset VALUES ($1, $2, $3, $4)', [group, topic, partition, high])
  }
}

export interface RunningConsumer {
  consumer: BatchConsumer
  health: Health
  group: string
  /** How often the consumer joined its group. */
  joins: () => number
  stop: () => Promise<void>
}

interface ConsumerSettings {
  group?: string
  instance?: string
  /** Pause of a partition at the end of its log, ms. */
  pauseAtEnd?: number
  readAgain?: KafkaOptions['readAgain']
}

/** A consumer of `topic` as a service runs it. */
export function runConsumer(
  database: Database,
  handle: BatchHandler,
  { group = `test-${randomUUID()}`, instance = randomUUID() as string, pauseAtEnd, readAgain }: ConsumerSettings = {},
): RunningConsumer {
  const options = {
    ...suiteBroker,
    ...{ service: 'test', group, instance, pausesAtEnd: { [topic]: pauseAtEnd } },
    ...(readAgain && { readAgain }),
  }
  const health = new Health()
  const name = new InstanceName(options, logger, database)
  const consumer = new BatchConsumer(options, logger, database, name, health)
  let joins = 0
  consumer.unwrap<{ on: (event: string, listener: () => void) => void }>().on('consumer.group_join', () => joins++)
  consumer.addHandler(topic, handle, true)
  consumer.listen(() => undefined)
  const stop = async () => {
    await consumer.close()
    await name.onApplicationShutdown()
  }
  health.markStarted()
  return { consumer, health, group, joins: () => joins, stop }
}
