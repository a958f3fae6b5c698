import { createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
import type { AriState, AriWrite } from '@connectivity/contracts/ari'
import type { AriUpdated } from '@connectivity/contracts/ari-events'
import type { ConnectionCatalog } from '@connectivity/contracts/catalog-events'
import type { ErrorBody } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { migrate } from '@connectivity/database/migrate'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { type IdentifiedRequest, identityHeaders } from '@connectivity/service-kit/identity'
import { createDatabase } from '@connectivity/testing/database'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'

const TOPIC = 'connectivity.ari-updates.v1'

/** Options of a call. */
export interface Call {
  body?: unknown
  /** A new key if absent; null for none. */
  key?: string | null
  headers?: Record<string, string>
  /** Target process; the first if absent. */
  at?: ServiceProcess
}

/** A message to the booking engine. */
interface Published {
  key: string
  event: { id: string; source: string; type: string; subject: string; time: string; data: AriUpdated }
  bytes: number
}

/** ARI as one process with real Kafka and PostgreSQL; the test acts as gateway and booking engine. */
export async function ariProcess() {
  const database = await createDatabase()
  await migrate(
    { url: database.url, applicationName: 'test', migrations },
    { role: database.serviceRole, appendOnly: [] },
  )
  const kafka = await suiteKafka()
  const sql = new Client({ connectionString: database.url })
  await sql.connect()
  const identityKey = randomBytes(32)
  const replicas: ServiceProcess[] = []
  async function startReplica(): Promise<ServiceProcess> {
    const replica = new ServiceProcess('ari', await freePort(), {
      DATABASE_URL: database.serviceUrl,
      KAFKA_BROKERS: suiteBroker.brokers.join(','),
      INSTANCE_NAME: `ari-${randomUUID()}`,
      IDENTITY_KEY: identityKey.toString('base64'),
    })
    replicas.push(replica)
    await replica.start()
    return replica
  }
  const service = await startReplica()
  const published: Published[] = []
  const consumer = kafka.consumer({ groupId: `test-${randomUUID()}`, maxWaitTimeInMs: 100 })
  await consumer.connect()
  await consumer.subscribe({ topics: [TOPIC], fromBeginning: true })
  await consumer.run({
    eachMessage: async ({ message: { key, value } }) => {
      const event = JSON.parse(value!.toString('utf8')) as Published['event']
      published.push({ key: key!.toString('utf8'), event, bytes: value!.length })
    },
  })

  const identity = (connectionId: string, request: IdentifiedRequest, application_id = 'app_1') => {
    const claims = {
      aud: 'ari' as const,
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id,
      connection: { property_id: connectionId, external_property_id: 'PMS-100', state: 'pilot' as const },
      scopes: ['ari:read', 'ari:write'] as const,
      correlation_id: randomUUID(),
    }
    return identityHeaders(createSecretKey(identityKey), claims, request)
  }

  const mutationHeaders = (key: string | null): Record<string, string> => ({
    'content-type': 'application/json',
    ...(key === null ? {} : { 'idempotency-key': key }),
  })

  /** Sends a call as the gateway does. */
  async function call(
    connectionId: string,
    method: string,
    target: string,
    { body, key = randomUUID(), headers, at = service }: Call,
  ) {
    const full = `${BASE_PATH}${target}`
    const sent: Record<string, string> = method === 'GET' ? { ...headers } : { ...mutationHeaders(key), ...headers }
    const bytes = body === undefined ? null : JSON.stringify(body)
    const bodyHash = hash('sha256', bytes ?? '')
    const request = { method, target: full, idempotencyKey: sent['idempotency-key'], bodyHash }
    const identified = { ...identity(connectionId, request), ...sent }
    const response = await fetch(at.url + full, { method, headers: identified, body: bytes })
    const text = await response.text()
    const json = JSON.parse(text || 'null') as Record<string, unknown> & ErrorBody
    return { status: response.status, headers: response.headers, text, json }
  }

  /** Garbage collection of an answer closes its connection. */
  const opened: Response[] = []

  return {
    service,
    /** Starts one more process on the same database. */
    startReplica,
    databaseUrl: database.url,
    sql,
    published,
    call,
    /** Returns the messages of one property in topic order, without repeated ones, as a reader does. */
    publishedFor(propertyId: string): AriUpdated[] {
      const seen = new Set<string>()
      return published
        .filter(({ key, event }) => key === propertyId && !seen.has(event.id) && seen.add(event.id))
        .map(({ event }) => event.data)
    },
    /** Stores catalogs as if they had arrived over Kafka. */
    catalogsArrive: (catalogs: readonly ConnectionCatalog[]) => storeCatalogs(sql, catalogs),
    write: (body: AriWrite, more: Call & { query?: string } = {}) =>
      call(body.property_id, 'POST', `/ari${more.query ?? ''}`, { body, ...more }),
    read: (connectionId: string, query: Record<string, string>) =>
      call(connectionId, 'GET', `/ari?${new URLSearchParams({ property_id: connectionId, ...query }).toString()}`, {}),
    /** Returns an answer whose body has not been read. */
    async open(
      connectionId: string,
      query: Record<string, string>,
      { signal, application }: { signal?: AbortSignal; application?: string } = {},
    ): Promise<Response> {
      const target = `${BASE_PATH}/ari?${new URLSearchParams({ property_id: connectionId, ...query }).toString()}`
      const headers = identity(connectionId, { method: 'GET', target }, application)
      const response = await fetch(service.url + target, { headers, ...(signal && { signal }) })
      opened.push(response)
      return response
    },
    async state(connectionId: string, date_from: string, date_to: string): Promise<AriState> {
      const { status, json } = await this.read(connectionId, { date_from, date_to })
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`)
      return json as unknown as AriState
    },
    async end() {
      await Promise.all(replicas.map((replica) => replica.stop()))
      await Promise.all([consumer.disconnect(), sql.end()])
      await database.drop()
    },
  }
}

/** Stores catalogs directly: concurrent test files share the broker's consumer group; partitions may be elsewhere. */
async function storeCatalogs(sql: Client, catalogs: readonly ConnectionCatalog[]): Promise<void> {
  for (const catalog of catalogs) {
    await sql.query(
      `INSERT INTO catalog VALUES ($1, $2, $3) ON CONFLICT (connection_id) DO UPDATE
         SET catalog_version = excluded.catalog_version, catalog = excluded.catalog`,
      [catalog.connection_id, catalog.catalog_version, JSON.stringify(catalog)],
    )
  }
}

export type AriProcess = Awaited<ReturnType<typeof ariProcess>>
