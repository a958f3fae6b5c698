import { createSecretKey, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import type { ServiceName } from '@connectivity/contracts/identity'
import { CHANGES_PATH } from '@connectivity/contracts/waiting'
import { migrate } from '@connectivity/database/migrate'
import { brokerSecurityKeys } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { as, readConfig } from '@connectivity/service-kit/config'
import { verifyIdentity } from '@connectivity/service-kit/identity'
import { startService } from '@connectivity/service-kit/service'
import { tracingKeys } from '@connectivity/service-kit/tracing'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import type { GatewayConfig } from '../src/config.js'
import { gateway } from '../src/gateway.js'
import { PrivateListener } from '../src/http/listeners/private-listener.service.js'
import { appendOnly, migrations } from '../src/migrations/migrations.js'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { type Answer, call, Partner, type SigningKey } from './partner.js'

export const ISSUER = 'https://operators.test'
export const AUDIENCE = 'connectivity'

type Script = (request: IncomingMessage, response: ServerResponse) => void

/** Interval of the empty lines of a stream of changes, ms. */
const BEAT = 5_000

/** Stands in for the reservation feed: answers as the test says and remembers the requests. */
export class ScriptedFeed {
  readonly requests: IncomingMessage[] = []
  script: Script = (_request, response) => response.end('{}')
  private readonly streams = new Set<ServerResponse>()
  private readonly server: Server = createServer((request, response) => {
    if (request.url === CHANGES_PATH) return this.openStream(response)
    this.requests.push(request)
    this.script(request, response)
  })

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Sends ids of changed connections, or `*`, to the readers of its stream of changes. */
  changed(connectionIds: string): void {
    for (const stream of this.streams) stream.write(`${connectionIds}\n`)
  }

  breakStreams(): void {
    for (const stream of this.streams) stream.destroy()
  }

  private openStream(response: ServerResponse): void {
    this.streams.add(response)
    const beat = setInterval(() => response.write('\n'), BEAT)
    response.once('close', () => {
      clearInterval(beat)
      this.streams.delete(response)
    })
    response.writeHead(200).write('\n')
  }

  get last(): IncomingMessage {
    return this.requests.at(-1)!
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }
}

/** Operators and their tokens. */
export async function operators() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const folder = mkdtempSync(join(tmpdir(), 'jwks-'))
  const file = join(folder, 'jwks.json')
  writeFileSync(file, JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] }))
  const token = (
    roles: string[],
    { expires = '1h', audience = AUDIENCE, issuer = ISSUER, sub = 'olga' as unknown } = {},
  ) =>
    new SignJWT({ roles, sub } as JWTPayload)
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setExpirationTime(expires)
      .sign(privateKey)
  return { file, token, remove: () => rmSync(folder, { recursive: true }) }
}

export type Operators = Awaited<ReturnType<typeof operators>>

export const IDENTITY_KEY = createSecretKey(randomBytes(32))

/**
 * The identity that a request of the gateway has for a service, null when the service would refuse it.
 * @param inSeconds when the service checks it, from now
 */
export const identityOf = ({ method, url, headers }: IncomingMessage, service: ServiceName, inSeconds = 0) =>
  verifyIdentity(IDENTITY_KEY, service, { method: method!, target: url!, headers }, Date.now() / 1000 + inSeconds)

/** The gateway in this process with a database and operators of its own; its consumers are not started. */
export class GatewayUnderTest {
  readonly feed = new ScriptedFeed()
  database: TestDatabase
  /** The network path to the database. */
  databasePath: NetworkPath
  private databaseUrl: string
  staff: Operators
  app: NestFastifyApplication
  publicOrigin: string
  privateOrigin: string
  private token: string
  private closing: Promise<void> | undefined

  async start(given: Partial<GatewayConfig> = {}): Promise<this> {
    this.database = await createDatabase()
    const runtime = { role: this.database.serviceRole, appendOnly }
    await migrate({ url: this.database.url, applicationName: 'test', migrations }, runtime)
    await suiteKafka()
    const { path: proxy, url } = await NetworkPath.before(this.database.serviceUrl)
    this.databasePath = proxy
    this.databaseUrl = url
    this.staff = await operators()
    this.token = await this.staff.token(['connectivity:operate'])
    this.app = await startService(gateway({ ...this.config(await this.feed.start()), ...given }))
    this.publicOrigin = `http://127.0.0.1:${(this.app.getHttpServer().address() as AddressInfo).port}`
    const privateHost = given.PRIVATE_HOST ?? '127.0.0.1'
    this.privateOrigin = `http://${privateHost}:${this.app.get(PrivateListener, { strict: false }).port}`
    return this
  }

  /** Stops the gateway alone, as a signal does. */
  close(): Promise<void> {
    return (this.closing ??= this.app.close())
  }

  async stop(): Promise<void> {
    await this.close()
    this.feed.stop()
    this.databasePath.close()
    this.staff.remove()
    await this.database.drop()
  }

  /** A call of an operator with all roles. */
  async ops(method: string, path: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
    const authorization = `Bearer ${this.token}`
    const content = body === undefined ? {} : { 'content-type': 'application/json' }
    return call(this.privateOrigin, `/ops/v1${path}`, {
      method,
      headers: { authorization, ...content, ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  }

  async approvedApplication(): Promise<string> {
    const contact = { name: 'Ada', email: 'ada@example.com' }
    const { json } = await this.ops('POST', '/applications', { name: 'PMS', contact, reason: 'test' })
    await this.ops('POST', `/applications/${json.application_id}/approve`, { reason: 'test' })
    return json.application_id as string
  }

  /** A connection in pilot. */
  async pilotConnection(application_id: string, source_property_id = 'prop_1'): Promise<string> {
    const { json } = await this.ops('POST', '/connections', {
      application_id,
      source_property_id,
      external_property_id: `PMS-${source_property_id}`,
      environment: 'sandbox',
      reason: 'test',
    })
    await this.ops('POST', `/connections/${json.property_id}/transitions`, { to: 'pilot', reason: 'test' })
    return json.property_id as string
  }

  async signingKey(connectionId: string, given: object = {}): Promise<SigningKey & { credential_id: string }> {
    const body = { type: 'signing', reason: 'test', ...given }
    const { json } = await this.ops('POST', `/connections/${connectionId}/credentials`, body)
    return json as unknown as SigningKey & { credential_id: string }
  }

  /** Repeats a call until the answer is as expected: 1 s for a change, plus 1 s for a machine busy with tests. */
  until(ask: () => Promise<Answer>, expected: (answer: Answer) => boolean, deadline = 2_000): Promise<Answer> {
    const check = async () => {
      const answer = await ask()
      if (!expected(answer)) throw new Error(`unexpected ${answer.status} ${answer.text}`)
      return answer
    }
    return eventually(check, { deadline })
  }

  untilAnswered(ask: () => Promise<Answer>, status: number): Promise<Answer> {
    return this.until(ask, (answer) => answer.status === status)
  }

  untilServed(ask: () => Promise<Answer>): Promise<Answer> {
    return this.untilAnswered(ask, 200)
  }

  /** Runs a statement directly on the gateway's database, bypassing the gateway and that path. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    return this.database.query(text, values)
  }

  /** All credential data in the database, as text. */
  async storedText(): Promise<string> {
    const tables = ['credential', 'credential_secret', 'audit_entry', 'outbox']
    const rows = await Promise.all(tables.map((table) => this.sql(`SELECT t::text FROM ${table} t`)))
    return rows
      .flat()
      .map(({ t }) => t)
      .join('\n')
  }

  /** Makes a change as another replica would, while this one is cut off. */
  async revokeBehindItsBack(credentialId: string): Promise<void> {
    await this.sql('UPDATE credential SET revoked_at = now() WHERE credential_id = $1', [credentialId])
  }

  partner(key: SigningKey): Partner {
    return new Partner(this.publicOrigin, key)
  }

  private config(feedUrl: string): GatewayConfig {
    const nobody = 'http://127.0.0.1:9'
    return {
      ...readConfig({ ...tracingKeys, ...brokerSecurityKeys }, {}),
      HOST: '127.0.0.1',
      LOG_LEVEL: (process.env.LOG_LEVEL ?? 'silent') as GatewayConfig['LOG_LEVEL'],
      NODE_ENV: 'test',
      BUILD_VERSION: 'test',
      BUILD_REVISION: 'test',
      DRAIN_SECONDS: 0,
      DATABASE_URL: this.databaseUrl,
      DATABASE_CA: as.authorities(''),
      REDIS_CA: as.authorities(''),
      KAFKA_BROKERS: suiteBroker.brokers,
      KAFKA_TOPIC_PREFIX: suiteBroker.topicPrefix,
      INSTANCE_NAME: `gateway-${randomBytes(4).toString('hex')}`,
      DEAD_LETTER_DAYS: 90,
      OPEN_DEAD_LETTER_DAYS: 365,
      KAFKA_GROUP_SUFFIX: new URL(this.databaseUrl).pathname,
      PUBLIC_PORT: 0,
      PRIVATE_PORT: 0,
      PRIVATE_HOST: '',
      MAX_CONNECTIONS: 200,
      MAX_CONNECTIONS_PER_ADDRESS: 1_000,
      MAX_WAITING_REQUESTS: 2,
      REQUEST_LOG_DAYS: 14,
      REQUEST_LOG_WRITE_MILLISECONDS: 500,
      PORTAL_LINK_MINUTES: 15,
      PORTAL_SESSION_HOURS: 8,
      REDIS_URL: process.env.REDIS_URL!,
      TRUSTED_PROXIES: [],
      FAILED_AUTH_PER_MINUTE: 1_000_000,
      CATALOG_URL: feedUrl,
      RESERVATION_FEED_URL: feedUrl,
      ARI_URL: nobody,
      EVENT_DISPATCH_URL: nobody,
      IDENTITY_KEYS: {
        catalog: IDENTITY_KEY,
        'reservation-feed': IDENTITY_KEY,
        ari: IDENTITY_KEY,
        'event-dispatch': IDENTITY_KEY,
      },
      KEY_ENCRYPTION_KEYS: new Map([['k1', randomBytes(32)]]),
      DOCUMENTATION: 'tools/docs/dist/site',
      CONSOLE: 'apps/console/dist',
      PORTAL: 'apps/portal/dist',
      PUBLIC_URL: '',
      OPERATOR_JWKS: this.staff.file,
      OPERATOR_ISSUER: ISSUER,
      OPERATOR_AUDIENCE: AUDIENCE,
      OPERATOR_TOKEN_HOURS: 12,
      OPERATOR_OIDC_ISSUER: '',
      OPERATOR_OIDC_CLIENT_ID: 'connectivity-console',
      OPERATOR_OIDC_SCOPE: 'openid',
      PRIVATE_HOSTS: new Set(),
      PUBLIC_TLS_FILES: '',
      PRIVATE_TLS_FILES: '',
      SERVICES_CA: '',
    }
  }
}
