import { randomBytes, randomUUID } from 'node:crypto'
import { migrate } from '@connectivity/database/migrate'
import { suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { migrations } from '../src/migrations/migrations.js'
import { AUDIENCE, ISSUER, type Operators, operators, ScriptedFeed } from './gateway-under-test.js'
import { type Answer, call, Partner, type SigningKey } from './partner.js'

const OWNERS = ['catalog', 'reservation-feed', 'ari', 'event-dispatch']
const LONGEST_TURN = new URL('longest-turn.ts', import.meta.url).href
const key256 = () => randomBytes(32).toString('base64')

/** The built gateway as a process of its own, whose memory and CPU a test can measure. */
export class GatewayProcess {
  readonly feed = new ScriptedFeed()
  publicPort: number
  process: ServiceProcess
  /** The network path to the database. */
  databasePath: NetworkPath
  private database: TestDatabase
  private staff: Operators
  private token: string
  private turnsPort: number

  async start(given: Record<string, string> = {}): Promise<this> {
    this.database = await createDatabase()
    await migrate({ url: this.database.url, applicationName: 'test', migrations })
    await suiteKafka()
    const { path, url: databaseUrl } = await NetworkPath.before(this.database.url)
    this.databasePath = path
    this.staff = await operators()
    this.token = await this.staff.token(['connectivity:operate'])
    this.publicPort = await freePort()
    this.turnsPort = await freePort()
    const [privatePort, service, identity] = [await freePort(), await this.feed.start(), key256()]
    const environment = {
      LONGEST_TURN_PORT: String(this.turnsPort),
      DATABASE_URL: databaseUrl,
      INSTANCE_NAME: `gateway-${randomUUID()}`,
      PUBLIC_PORT: String(this.publicPort),
      PRIVATE_PORT: String(privatePort),
      ...Object.fromEntries(OWNERS.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, service])),
      IDENTITY_KEYS: OWNERS.map((name) => `${name}=${identity}`).join(','),
      KEY_ENCRYPTION_KEYS: `k1:${key256()}`,
      OPERATOR_JWKS: this.staff.file,
      OPERATOR_ISSUER: ISSUER,
      OPERATOR_AUDIENCE: AUDIENCE,
      ...given,
    }
    this.process = new ServiceProcess('gateway', privatePort, environment, [LONGEST_TURN])
    await this.process.start()
    return this
  }

  async stop(): Promise<void> {
    await this.process.stop()
    this.feed.stop()
    this.databasePath.close()
    this.staff.remove()
    await this.database.drop()
  }

  /** A partner with a connection in pilot, whose limits no test reaches. */
  async partner(): Promise<Partner & { connectionId: string }> {
    const reason = 'test'
    const contact = { name: 'Ada', email: 'ada@example.com' }
    const { application_id } = await this.ops('POST', '/applications', { name: 'PMS', contact, reason })
    await this.ops('POST', `/applications/${application_id as string}/approve`, { reason })
    const limits = { reads: { per_minute: 1_000_000, burst: 100_000 } }
    await this.ops('PUT', `/applications/${application_id as string}/limits`, { limits, reason })
    const { property_id } = await this.ops('POST', '/connections', {
      application_id,
      source_property_id: 'prop_1',
      external_property_id: 'X',
      environment: 'sandbox',
      reason,
    })
    await this.ops('POST', `/connections/${property_id as string}/transitions`, { to: 'pilot', reason })
    const path = `/connections/${property_id as string}/credentials`
    const key = (await this.ops('POST', path, { type: 'signing', reason })) as unknown as SigningKey
    return Object.assign(new Partner(this.origin, key), { connectionId: property_id as string })
  }

  /** Origin of the public listener. */
  get origin(): string {
    return `http://127.0.0.1:${this.publicPort}`
  }

  /** CPU time of the longest turn of the process's event loop since the previous call, ms. */
  async longestTurn(): Promise<number> {
    return Number((await call(`http://127.0.0.1:${this.turnsPort}`, '/')).text)
  }

  async metrics(): Promise<string> {
    return (await call(this.process.url, '/metrics')).text
  }

  /** Queries the database directly, bypassing that path. */
  sql<T extends object>(text: string): Promise<T[]> {
    return this.database.query<T>(text)
  }

  private async ops(method: string, path: string, body: object): Promise<Answer['json']> {
    const headers = { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' }
    return (await call(this.process.url, `/ops/v1${path}`, { method, headers, body: JSON.stringify(body) })).json
  }
}
