import { randomBytes, randomUUID } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { migrate } from '@connectivity/database/migrate'
import { signIdentity } from '@connectivity/service-kit/identity-token'
import { createDatabase } from '@connectivity/testing/database'
import { freePort, ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'

/** What a call was answered. */
export interface Answered {
  status: number
  headers: Headers
  text: string
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  body: any
}

export interface Call {
  body?: object
  /** Idempotency-Key; another one for each call if not given, none if null. */
  key?: string | null
  connection?: string
}

/** Event dispatch as processes of their own on one database; the test is the gateway. */
export class DispatchProcesses {
  readonly sql: Client
  private readonly keys = {
    identity: randomBytes(32),
    encryption: randomBytes(32).toString('base64'),
    cursor: randomBytes(32).toString('base64'),
  }
  private readonly running: ServiceProcess[] = []

  private constructor(private readonly database: { url: string; drop: () => Promise<void> }) {
    this.sql = new Client({ connectionString: database.url })
  }

  static async create(): Promise<DispatchProcesses> {
    const database = await createDatabase()
    await migrate({ url: database.url, applicationName: 'test', migrations })
    const processes = new DispatchProcesses(database)
    await processes.sql.connect()
    return processes
  }

  /** Starts one more process. @param env beside what every one is told */
  async start(env: Record<string, string> = {}): Promise<ServiceProcess> {
    const service = new ServiceProcess('event-dispatch', await freePort(), {
      DATABASE_URL: this.database.url,
      KAFKA_BROKERS: process.env.KAFKA_BROKERS!,
      INSTANCE_NAME: `event-dispatch-${this.running.length}-${randomUUID()}`,
      IDENTITY_KEY: this.keys.identity.toString('base64'),
      KEY_ENCRYPTION_KEYS: `k1:${this.keys.encryption}`,
      CURSOR_KEYS: `c1:${this.keys.cursor}`,
      CALLBACK_ALLOW: '127.0.0.0/8,[::1]',
      ...env,
    })
    this.running.push(service)
    await service.start()
    return service
  }

  /** A partner's call as the gateway passes it on; `path` is below /properties/{connection}. */
  async call(service: ServiceProcess, method: string, path: string, given: Call = {}): Promise<Answered> {
    const { body, connection = 'con_1' } = given
    const target = `${BASE_PATH}/properties/${connection}${path}`
    const identity = signIdentity(this.keys.identity, {
      aud: 'event-dispatch',
      exp: Math.floor(Date.now() / 1000) + 30,
      application_id: 'app_1',
      connection: { property_id: connection, external_property_id: 'PMS-100', state: 'pilot' },
      scopes: ['callbacks:manage'],
      method,
      path: target,
      correlation_id: randomUUID(),
    })
    const headers = headersOf(method, given)
    headers.set('x-internal-identity', identity)
    const response = await fetch(service.url + target, { method, headers, body: body ? JSON.stringify(body) : null })
    const text = await response.text()
    return { status: response.status, headers: response.headers, text, body: text === '' ? null : JSON.parse(text) }
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((service) => service.stop()))
    await this.sql.end()
    await this.database.drop()
  }
}

function headersOf(method: string, { body, key = randomUUID() }: Call): Headers {
  const headers = new Headers()
  if (key !== null && method !== 'GET') headers.set('idempotency-key', key)
  if (body) headers.set('content-type', 'application/json')
  return headers
}
