import { spawn } from 'node:child_process'
import { generateKeyPairSync, randomBytes, randomUUID, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { createProducer } from '@connectivity/kafka/broker'
import { suiteBroker, suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase } from '@connectivity/testing/database'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const ISSUER = 'https://operators.test'
const AUDIENCE = 'operations'
const base64 = () => randomBytes(32).toString('base64')
const jwt = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** Starts gateway and event dispatch as separate processes; the test plays operator, feed and partner. */
export async function startSystem() {
  const dir = mkdtempSync(join(tmpdir(), 'receiver-'))
  const [gatewayDatabase, dispatchDatabase] = await Promise.all([createDatabase(), createDatabase()])
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const jwks = join(dir, 'jwks.json')
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'EdDSA' }] }))
  const identity = base64()
  const producer = createProducer(await suiteKafka())
  await producer.connect()
  const common = { KAFKA_BROKERS: suiteBroker.brokers.join(',') }
  const dispatch = new ServiceProcess('event-dispatch', await freePort(), {
    ...common,
    INSTANCE_NAME: `event-dispatch-${randomUUID()}`,
    DATABASE_URL: dispatchDatabase.url,
    IDENTITY_KEY: identity,
    KEY_ENCRYPTION_KEYS: `k1:${base64()}`,
    CURSOR_KEYS: `c1:${base64()}`,
    CALLBACK_ALLOW: '127.0.0.0/8',
  })
  const [publicPort, privatePort] = [await freePort(), await freePort()]
  const nobody = 'http://127.0.0.1:9'
  const gateway = new ServiceProcess('gateway', privatePort, {
    ...common,
    INSTANCE_NAME: `gateway-${randomUUID()}`,
    DATABASE_URL: gatewayDatabase.url,
    REDIS_URL: process.env.REDIS_URL!,
    PUBLIC_PORT: String(publicPort),
    PRIVATE_PORT: String(privatePort),
    ...{ CATALOG_URL: nobody, RESERVATION_FEED_URL: nobody, ARI_URL: nobody, EVENT_DISPATCH_URL: dispatch.url },
    IDENTITY_KEYS: ['catalog', 'reservation-feed', 'ari', 'event-dispatch'].map((name) => `${name}=${identity}`).join(),
    KEY_ENCRYPTION_KEYS: `k1:${base64()}`,
    ...{ OPERATOR_JWKS: jwks, OPERATOR_ISSUER: ISSUER, OPERATOR_AUDIENCE: AUDIENCE },
  })
  await Promise.all([migrate('gateway', gatewayDatabase.url), migrate('event-dispatch', dispatchDatabase.url)])
  await Promise.all([gateway.start(), dispatch.start()])

  const token = () => {
    const claims = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: 'olga',
      exp: Date.now() / 1000 + 600,
      roles: ['connectivity:operate'],
    }
    const signed = `${jwt({ alg: 'EdDSA', kid: 'k' })}.${jwt(claims)}`
    return `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`
  }
  const ops = async (path: string, body: object) => {
    const response = await fetch(`${gateway.url}/ops/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token()}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, reason: 'test' }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    return (await response.json()) as any
  }

  return {
    baseUrl: `http://127.0.0.1:${publicPort}`,
    logs: () => gateway.log + dispatch.log,
    /** Creates a connection in pilot with an OAuth client. */
    async connect() {
      const application = await ops('/applications', {
        name: 'PMS',
        contact: { name: 'Ada', email: 'ada@example.com' },
      })
      await ops(`/applications/${application.application_id}/approve`, {})
      const { property_id } = await ops('/connections', {
        application_id: application.application_id,
        source_property_id: `prop_${randomUUID()}`,
        external_property_id: 'PMS-100',
        environment: 'sandbox',
      })
      await ops(`/connections/${property_id}/transitions`, { to: 'pilot' })
      const { client_id, client_secret } = await ops(`/connections/${property_id}/credentials`, { type: 'oauth' })
      return { propertyId: property_id as string, clientId: client_id as string, clientSecret: client_secret as string }
    },
    /** Publishes an event as the feed does. */
    publish: (event: {
      event_id: string
      type: string
      property_id: string
      reservation_id: string
      occurred_at: string
    }) => {
      const { event_id: id, type, property_id: key, reservation_id: subject, occurred_at: time } = event
      const value = cloudEventText({ id, source: '/reservation-feed', type, subject, time }, JSON.stringify(event))
      return producer.send({ topic: 'connectivity.reservation-events.v1', acks: -1, messages: [{ key, value }] })
    },
    async stop() {
      await Promise.all([gateway.stop(), dispatch.stop(), producer.disconnect()])
      await Promise.all([gatewayDatabase.drop(), dispatchDatabase.drop()])
      rmSync(dir, { recursive: true })
    },
  }
}

async function migrate(app: string, url: string): Promise<void> {
  const step = spawn(process.execPath, [`apps/${app}/dist/migrate.js`], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: url, NODE_OPTIONS: '' },
    stdio: 'inherit',
  })
  const [code] = await once(step, 'exit')
  if (code !== 0) throw new Error(`migrations of ${app} ended with ${code}`)
}

/** Runs the example as its reader starts it, and collects its output. */
export class ExampleReceiver {
  output = ''
  private readonly child

  constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, ['examples/receiver/receiver.mjs'], {
      cwd: ROOT,
      env: { ...process.env, ...env, NODE_OPTIONS: '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    this.child.stdout.on('data', (chunk: Buffer) => (this.output += chunk))
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'close')
    if (this.child.exitCode === null && this.child.kill('SIGINT')) await ended
  }
}
