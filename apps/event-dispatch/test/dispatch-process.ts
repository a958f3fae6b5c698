import { createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
import type { Connection } from '@connectivity/contracts/connection-events'
import { type Identity, TAKES_AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'
import { migrate } from '@connectivity/database/migrate'
import { createProducer } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { identityHeaders } from '@connectivity/service-kit/identity'
import { type ChangeReader, readChanges } from '@connectivity/testing/changes'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { connectionEvent } from '@connectivity/testing/events'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { readAuditedAnswer } from '@connectivity/testing/audited-answer'
import type { AuditEntry } from '@connectivity/contracts/operator-changes'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'
import { complete, type EventFacts, reservationEvent } from './reservation-event.js'

/** Answer to a call. */
export interface Answered {
  status: number
  headers: Headers
  text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
  /** The audit entry of an operator's change. */
  entry: AuditEntry | null
}

export interface Call {
  body?: object
  /** Idempotency-Key; a new one per call if not given, none if null. */
  key?: string | null
  connection?: string
}

/** Event dispatch as separate processes on one database; the test acts as the gateway. */
export class DispatchProcesses {
  readonly sql: Client
  private readonly keys = {
    identity: randomBytes(32),
    encryption: randomBytes(32).toString('base64'),
    cursor: randomBytes(32).toString('base64'),
  }
  private readonly running: ServiceProcess[] = []

  private constructor(
    private readonly database: TestDatabase,
    private readonly producer: ReturnType<typeof createProducer>,
  ) {
    this.sql = new Client({ connectionString: database.url })
  }

  static async create(): Promise<DispatchProcesses> {
    const database = await createDatabase()
    await migrate(
      { url: database.url, applicationName: 'test', migrations },
      { role: database.serviceRole, appendOnly: [] },
    )
    const processes = new DispatchProcesses(database, createProducer(await suiteKafka()))
    await Promise.all([processes.sql.connect(), processes.producer.connect()])
    return processes
  }

  get databaseUrl(): string {
    return this.database.serviceUrl
  }

  /** Starts one more process. @param env added to the settings that every process gets */
  async start(env: Record<string, string> = {}, preloaded: readonly string[] = []): Promise<ServiceProcess> {
    const told = {
      DATABASE_URL: this.database.serviceUrl,
      KAFKA_BROKERS: suiteBroker.brokers.join(','),
      INSTANCE_NAME: `event-dispatch-${this.running.length}-${randomUUID()}`,
      IDENTITY_KEY: this.keys.identity.toString('base64'),
      KEY_ENCRYPTION_KEYS: `k1:${this.keys.encryption}`,
      CURSOR_KEYS: `c1:${this.keys.cursor}`,
      CALLBACK_ALLOW: '127.0.0.0/8,[::1]',
      ...env,
    }
    const service = new ServiceProcess('event-dispatch', await freePort(), told, preloaded)
    this.running.push(service)
    await service.start()
    return service
  }

  /** Sends a partner's call as the gateway forwards it; `path` is below /properties/{connection}. */
  call(service: ServiceProcess, method: string, path: string, given: Call = {}): Promise<Answered> {
    const { connection = 'con_1' } = given
    return this.partner(service, method, `/properties/${connection}${path}`, given)
  }

  /** As `call`, anywhere below the base path. */
  partner(service: ServiceProcess, method: string, target: string, given: Call = {}): Promise<Answered> {
    const { connection = 'con_1' } = given
    return this.send(service, method, `${BASE_PATH}${target}`, given, {
      application_id: 'app_1',
      connection: { property_id: connection, external_property_id: 'PMS-100', state: 'pilot' },
      scopes: ['callbacks:manage', 'events:read', 'events:ack'],
    })
  }

  /** The stream of changes as a gateway reads it. */
  changes(service: ServiceProcess): Promise<ChangeReader> {
    const claims = claimsOf({ application_id: 'gateway', connection: null, scopes: [] })
    const request = { method: 'GET', target: CHANGES_PATH }
    return readChanges(service.url, identityHeaders(createSecretKey(this.keys.identity), claims, request))
  }

  /** Sends an operator's call as the gateway forwards it; `path` is below /ops/v1. */
  operate(service: ServiceProcess, method: string, path: string, given: Call = {}): Promise<Answered> {
    return this.send(service, method, `/ops/v1${path}`, given, { operator: 'op_1' })
  }

  /** Publishes events as the feed does. */
  async publish(...events: EventFacts[]): Promise<void> {
    const messages = events.map((facts) => ({ key: facts.connectionId!, value: reservationEvent(complete(facts)) }))
    await this.producer.send({ topic: 'connectivity.reservation-events.v1', acks: -1, messages })
  }

  /** Publishes connections as the gateway does, and waits until they are known. */
  async connect(...given: Partial<Connection>[]): Promise<void> {
    const messages = given.map((one) => ({ key: one.connection_id!, value: connectionEvent(one) }))
    await this.producer.send({ topic: 'connectivity.connections.v1', acks: -1, messages })
    const known = `SELECT FROM connection WHERE connection_id = $1 AND version >= $2`
    for (const { connection_id, version = 1 } of given) {
      await eventually(async () => {
        expect((await this.sql.query(known, [connection_id, version])).rowCount).toBe(1)
      })
    }
  }

  private async send(
    service: ServiceProcess,
    method: string,
    target: string,
    given: Call,
    claims: Caller,
  ): Promise<Answered> {
    const headers = headersOf(method, given)
    const body = given.body ? JSON.stringify(given.body) : null
    const identity = identityHeaders(createSecretKey(this.keys.identity), claimsOf(claims), {
      method,
      target,
      idempotencyKey: headers.get('idempotency-key') ?? undefined,
      bodyHash: hash('sha256', body ?? ''),
    })
    for (const [name, value] of Object.entries(identity)) headers.set(name, value)
    headers.set(TAKES_AUDIT_ENTRY_HEADER, 'yes')
    const response = await fetch(service.url + target, { method, headers, body })
    const { text, entry } = await readAuditedAnswer(response)
    const answered = text === '' ? null : JSON.parse(text)
    return { status: response.status, headers: response.headers, text, body: answered, entry }
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((service) => service.stop()))
    await Promise.all([this.producer.disconnect(), this.sql.end()])
    await this.database.drop()
  }
}

type Caller = Pick<Identity, 'application_id' | 'connection' | 'scopes'> | { operator: string }

const claimsOf = <T extends Caller>(caller: T) => ({
  aud: 'event-dispatch' as const,
  exp: Math.floor(Date.now() / 1000) + 30,
  ...caller,
  correlation_id: randomUUID(),
})

function headersOf(method: string, { body, key = randomUUID() }: Call): Headers {
  const headers = new Headers()
  if (key !== null && method !== 'GET') headers.set('idempotency-key', key)
  if (body) headers.set('content-type', 'application/json')
  return headers
}
