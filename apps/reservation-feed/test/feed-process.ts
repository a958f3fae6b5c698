import { createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
import { TAKES_AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
import type { Booking } from '@connectivity/contracts/booking-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { FeedPage } from '@connectivity/contracts/reservation'
import { INTERNAL_PATH } from '@connectivity/contracts/timeline'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'
import { migrate } from '@connectivity/database/migrate'
import { createProducer } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { identityHeaders } from '@connectivity/service-kit/identity'
import { readChanges } from '@connectivity/testing/changes'
import { createDatabase } from '@connectivity/testing/database'
import { bookingEvent } from '@connectivity/testing/events'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { catalogMessage } from '@connectivity/testing/catalog'
import { readAuditedAnswer } from '@connectivity/testing/audited-answer'
import { migrations } from '../src/migrations/migrations.js'

/** What an identity binds beside method and target. */
interface SentBody {
  bodyHash?: string
  idempotencyKey?: string
}

/**
 * The feed as one process between real Kafka and PostgreSQL; the test is booking engine, catalog and gateway.
 * @param settings further keys of the configuration
 */
export async function feedProcess(settings: Record<string, string> = {}) {
  const database = await createDatabase()
  await migrate(
    { url: database.url, applicationName: 'test', migrations },
    { role: database.serviceRole, appendOnly: [] },
  )
  const kafka = await suiteKafka()
  const producer = createProducer(kafka)
  await producer.connect()
  const sql = new Client({ connectionString: database.url })
  await sql.connect()
  const identityKey = randomBytes(32)
  const environment = {
    DATABASE_URL: database.serviceUrl,
    KAFKA_BROKERS: suiteBroker.brokers.join(','),
    INSTANCE_NAME: 'reservation-feed',
    IDENTITY_KEY: identityKey.toString('base64'),
    CURSOR_KEYS: `c1:${randomBytes(32).toString('base64')}`,
    ...settings,
  }
  const service = new ServiceProcess('reservation-feed', await freePort(), environment)
  const otherPort = await freePort()
  await service.start()

  const identity = (connectionId: string, method: 'GET' | 'POST', target: string, sent: SentBody = {}) => {
    const claims = {
      aud: 'reservation-feed' as const,
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_1',
      connection: { property_id: connectionId, external_property_id: 'PMS-100', state: 'pilot' as const },
      scopes: ['reservations:read'] as const,
      correlation_id: randomUUID(),
    }
    return identityHeaders(createSecretKey(identityKey), claims, { method, target, ...sent })
  }

  return {
    service,
    sql,
    kafka,
    databaseUrl: database.url,
    /** The same service on another port, not started, with other settings. */
    another: (env: Record<string, string>, preloaded: readonly string[] = []) =>
      new ServiceProcess('reservation-feed', otherPort, { ...environment, ...env }, preloaded),
    publish: (topic: string, messages: { key: string | null; value: string | Buffer }[]) =>
      producer.send({ topic, acks: -1, messages }),
    /** Publishes booking events as the booking engine does, unless another key is chosen. */
    async book(
      given: readonly Partial<Booking>[],
      key: (booking: Partial<Booking>) => string = ({ property_id }) => property_id!,
    ) {
      const messages = given.map((booking) => ({ key: key(booking), value: bookingEvent(booking) }))
      await producer.send({ topic: 'booking.reservations.v1', acks: -1, messages })
    },
    async announce(...catalogs: readonly Partial<ConnectionCatalog>[]) {
      await producer.send({ topic: 'connectivity.catalogs.v1', acks: -1, messages: catalogs.map(catalogMessage) })
    },
    /** GET with the identity that the gateway would give: a partner's call, or one of the gateway itself. */
    async get(
      connectionId: string,
      path: string,
      query: string,
      headers: Record<string, string> = {},
      url = service.url,
      signal?: AbortSignal,
    ) {
      const full = `${path.startsWith(INTERNAL_PATH) ? '' : BASE_PATH}${path}?${query}`
      const response = await fetch(url + full, {
        headers: { ...identity(connectionId, 'GET', full), ...headers },
        signal: signal ?? null,
      })
      const text = await response.text()
      return {
        status: response.status,
        headers: response.headers,
        body: (text === '' ? null : JSON.parse(text)) as unknown,
      }
    },
    /** The stream of changes as a gateway reads it. */
    changes: (url = service.url) => readChanges(url, identity('none', 'GET', CHANGES_PATH)),
    /** POST as the gateway forwards it, with a fresh key unless one is given. */
    async post(connectionId: string, path: string, body: object, idempotencyKey: string = randomUUID()) {
      const [full, text] = [BASE_PATH + path, JSON.stringify(body)]
      const sent = { bodyHash: hash('sha256', text), idempotencyKey }
      const response = await fetch(service.url + full, {
        method: 'POST',
        headers: {
          ...identity(connectionId, 'POST', full, sent),
          'content-type': 'application/json',
          'idempotency-key': idempotencyKey,
        },
        body: text,
      })
      return { status: response.status, headers: response.headers, body: (await response.json()) as unknown }
    },
    /** A call that the gateway forwards for an operator. */
    async operate(
      method: 'GET' | 'POST',
      path: string,
      given?: object,
      headers: Record<string, string> = {},
      url = service.url,
    ) {
      const claims = {
        aud: 'reservation-feed' as const,
        operator: 'op_1',
        exp: Math.floor(Date.now() / 1000) + 30,
        correlation_id: randomUUID(),
      }
      const bodyHash = given && hash('sha256', JSON.stringify(given))
      const idempotencyKey = headers['idempotency-key']
      const request = { method, target: path, bodyHash, idempotencyKey }
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...identityHeaders(createSecretKey(identityKey), claims, request),
          [TAKES_AUDIT_ENTRY_HEADER]: 'yes',
          ...(given && { 'content-type': 'application/json' }),
          ...headers,
        },
        body: given && JSON.stringify(given),
      })
      const { text, entry } = await readAuditedAnswer(response)
      return { status: response.status, headers: response.headers, body: JSON.parse(text) as unknown, entry }
    },
    /** One page as a partner gets it. */
    async page(connectionId: string, query: string, url = service.url) {
      const { status, body } = await this.get(connectionId, '/reservations', query, {}, url)
      return { status, page: body as FeedPage }
    },
    async end() {
      await service.stop()
      await Promise.all([producer.disconnect(), sql.end()])
      await database.drop()
    },
  }
}

export type FeedProcess = Awaited<ReturnType<typeof feedProcess>>
