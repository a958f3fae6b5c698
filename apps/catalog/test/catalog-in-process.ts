import type { AddressInfo } from 'node:net'
import { Database } from '@connectivity/database'
import { migrate } from '@connectivity/database/migrate'
import type { BatchHandler } from '@connectivity/kafka/consuming'
import { applyIsolated } from '@connectivity/kafka/test/apply-isolated'
import { requireIdentity } from '@connectivity/service-kit/identity'
import { brokerSecurityKeys } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { as, readConfig } from '@connectivity/service-kit/config'
import { startService } from '@connectivity/service-kit/service'
import { tracingKeys } from '@connectivity/service-kit/tracing'
import { createDatabase } from '@connectivity/testing/database'
import { messages } from '@connectivity/testing/messages'
import { CatalogModule } from '../src/catalog.module.js'
import type { CatalogConfig } from '../src/config.js'
import { ConnectionEventsConsumer } from '../src/intake/connection-events.consumer.js'
import { migrations } from '../src/migrations/migrations.js'
import { PropertyEventsConsumer } from '../src/intake/property-events.consumer.js'
import { catalogCalls, identityKey } from './catalog-calls.js'

const consumers = {
  'booking.properties.v1': PropertyEventsConsumer,
  'connectivity.connections.v1': ConnectionEventsConsumer,
}

/** The catalog in this process, with a database of its own; the test delivers its messages instead of Kafka. */
export async function catalogInProcess() {
  const database = await createDatabase()
  await migrate(
    { url: database.url, applicationName: 'test', migrations },
    { role: database.serviceRole, appendOnly: [] },
  )
  await suiteKafka()
  const config: CatalogConfig = {
    ...readConfig({ ...tracingKeys, ...brokerSecurityKeys }, {}),
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    NODE_ENV: 'test',
    BUILD_VERSION: 'test',
    BUILD_REVISION: 'test',
    DRAIN_SECONDS: 0,
    DATABASE_URL: database.serviceUrl,
    DATABASE_CA: as.authorities(''),
    KAFKA_BROKERS: suiteBroker.brokers,
    KAFKA_TOPIC_PREFIX: suiteBroker.topicPrefix,
    KAFKA_GROUP_SUFFIX: '',
    DEAD_LETTER_DAYS: 90,
    OPEN_DEAD_LETTER_DAYS: 365,
    TLS_FILES: '',
    INSTANCE_NAME: 'catalog-in-process',
    IDENTITY_KEY: [identityKey],
  }
  const app = await startService({
    name: 'catalog',
    module: CatalogModule.with(config),
    config,
    port: 0,
    prepare: (starting) => requireIdentity(starting.getHttpAdapter().getInstance(), 'catalog', [identityKey]),
  })
  const address = app.getHttpServer().address() as AddressInfo
  let offset = 0n

  return {
    ...catalogCalls(() => `http://127.0.0.1:${address.port}`),
    async publish(topic: keyof typeof consumers, value: string): Promise<void> {
      const consumer = app.get(consumers[topic])
      const handle: BatchHandler = (batch) => consumer.handle(batch)
      const fence = { group: 'catalog', topic, partition: 0 }
      await applyIsolated(app.get(Database), fence, messages([value], offset++), handle)
    },
    async end(): Promise<void> {
      await app.close()
      await database.drop()
    },
  }
}

export type CatalogInProcess = Awaited<ReturnType<typeof catalogInProcess>>
