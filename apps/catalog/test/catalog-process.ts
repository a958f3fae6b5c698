import { randomBytes, randomUUID } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { migrate } from '@connectivity/database/migrate'
import { createTopics } from '@connectivity/kafka/create-topics'
import { createKafka, createProducer } from '@connectivity/kafka/kafka-client'
import { signIdentity } from '@connectivity/service-kit/identity-token'
import { createLogger } from '@connectivity/service-kit/logging'
import { createDatabase } from '@connectivity/testing/database'
import { freePort, ServiceProcess } from '@connectivity/testing/service-process'
import { createSecretKey } from 'node:crypto'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'

interface Call {
  body?: unknown
  key?: string | null
  headers?: Record<string, string>
}

/** The catalog as one process between real Kafka and PostgreSQL; the test is booking engine and gateway. */
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
  const identityKey = randomBytes(32)
  const service = new ServiceProcess('catalog', await freePort(), {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: brokers,
    INSTANCE_NAME: 'catalog',
    IDENTITY_KEY: identityKey.toString('base64'),
  })
  await service.start()

  const identity = (connectionId: string, method: string, path: string) =>
    signIdentity(createSecretKey(identityKey), {
      ...claims(),
      application_id: 'app_1',
      connection: { property_id: connectionId, external_property_id: 'PMS-100', state: 'pilot' },
      scopes: ['mappings:read', 'mappings:write', 'catalog:read'],
      method,
      path,
    })

  return {
    service,
    sql,
    publish: (topic: string, key: string, value: string) =>
      producer.send({ topic, acks: -1, messages: [{ key, value }] }),
    /** Calls as the gateway does; a mutation gets a new idempotency key unless one is given, or null for none. */
    async call(connectionId: string, method: string, target: string, { body, key = randomUUID(), headers }: Call = {}) {
      const full = `${BASE_PATH}${target}`
      const identified = { 'x-internal-identity': identity(connectionId, method, full.split('?', 1)[0]!), ...headers }
      const request = body === undefined ? { method, headers: identified } : mutation(method, identified, key, body)
      return answerOf(await fetch(service.url + full, request))
    },
    /** Calls as the gateway does for an operator, who need not send a key. */
    async operate(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
      const token = signIdentity(createSecretKey(identityKey), { ...claims(), operator: 'olga', method, path })
      const identified = { 'x-internal-identity': token, ...headers }
      return answerOf(await fetch(service.url + path, mutation(method, identified, null, body)))
    },
    async end() {
      await service.stop()
      await Promise.all([producer.disconnect(), sql.end()])
      await database.drop()
    },
  }
}

const claims = () => ({
  aud: 'catalog' as const,
  exp: Math.floor(Date.now() / 1000) + 30,
  correlation_id: randomUUID(),
})

const answerOf = async (response: Response) => {
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text || 'null') as never }
}

const mutation = (method: string, headers: Record<string, string>, key: string | null, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }), ...headers },
  body: JSON.stringify(body),
})

export type CatalogProcess = Awaited<ReturnType<typeof catalogProcess>>
