import { migrate } from '@connectivity/database/migrate'
import { createTopics } from '@connectivity/kafka/create-topics'
import { createKafka, createProducer } from '@connectivity/kafka/kafka-client'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase } from '@connectivity/testing/database'
import { freePort, ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'
import { catalogCalls, identityKey } from './catalog-calls.js'

/**
 * The catalog as one process between real Kafka and PostgreSQL; the test is booking engine and gateway. One test file
 * only: a second one at the same time would be in the same consumer group and get half of the messages.
 */
export async function catalogProcess() {
  const brokers = process.env.KAFKA_BROKERS!
  const database = await createDatabase()
  await migrate({ url: database.url, applicationName: 'test', migrations })
  const kafka = createKafka({ brokers: brokers.split(','), instance: 'test' }, createLogger('test', 'silent'))
  await createTopics(kafka, 6, 1)
  const producer = createProducer(kafka)
  await producer.connect()
  const sql = new Client({ connectionString: database.url })
  await sql.connect()
  const service = new ServiceProcess('catalog', await freePort(), {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: brokers,
    INSTANCE_NAME: 'catalog',
    IDENTITY_KEY: identityKey.toString('base64'),
  })
  await service.start()

  return {
    service,
    sql,
    ...catalogCalls(() => service.url),
    publish: (topic: string, key: string, value: string) =>
      producer.send({ topic, acks: -1, messages: [{ key, value }] }),
    async end() {
      await service.stop()
      await Promise.all([producer.disconnect(), sql.end()])
      await database.drop()
    },
  }
}

export type CatalogProcess = Awaited<ReturnType<typeof catalogProcess>>
