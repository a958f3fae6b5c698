import { migrate } from '@connectivity/database/migrate'
import { createProducer } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase } from '@connectivity/testing/database'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'
import { catalogCalls, identityKey } from './catalog-calls.js'

/** The catalog as one process between real Kafka and PostgreSQL; the test is booking engine and gateway. */
export async function catalogProcess() {
  const database = await createDatabase()
  await migrate(
    { url: database.url, applicationName: 'test', migrations },
    { role: database.serviceRole, appendOnly: [] },
  )
  const producer = createProducer(await suiteKafka())
  await producer.connect()
  const sql = new Client({ connectionString: database.url })
  await sql.connect()
  const service = new ServiceProcess('catalog', await freePort(), {
    DATABASE_URL: database.serviceUrl,
    KAFKA_BROKERS: suiteBroker.brokers.join(','),
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
