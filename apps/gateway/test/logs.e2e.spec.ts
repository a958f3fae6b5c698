import { randomBytes, randomUUID } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { migrate } from '@connectivity/database/migrate'
import { suiteKafka } from '@connectivity/kafka/test/suite-kafka'
import { createDatabase, type TestDatabase } from '@connectivity/testing/database'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { ServiceProcess } from '@connectivity/testing/service-process'
import { Client } from 'pg'
import { migrations } from '../src/migrations/migrations.js'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { AUDIENCE, ISSUER, type Operators, operators, ScriptedFeed } from './gateway-under-test.js'
import { type Answer, call, signatureHeaders, type SigningKey } from './partner.js'
import { headOf, RawClient } from './raw-client.js'

const key256 = () => randomBytes(32).toString('base64')
const GUEST = ['Adelheid', 'Lovelace', 'ada.lovelace@example.com', '+44 20 7946 0958']
const CONTACT = { name: 'Grace Hopper', email: 'grace.hopper@example.com' }
const PAGE = JSON.stringify({ reservations: [{ guest: GUEST }] })

describe('the logs of a whole run', () => {
  const feed = new ScriptedFeed()
  const keys = { encryption: key256(), identity: key256() }
  /** Values that must not be found, by kind. */
  const secret = new Map<string, string>()
  const harmless: string[] = []
  let database: TestDatabase
  let databasePath: NetworkPath
  let staff: Operators
  let gateway: ServiceProcess
  let origin: string
  let operator: string

  beforeAll(async () => {
    database = await createDatabase()
    await migrate({ url: database.url, applicationName: 'test', migrations })
    await suiteKafka()
    const { path: proxy, url } = await NetworkPath.before(database.url)
    databasePath = proxy
    staff = await operators()
    operator = await staff.token(['connectivity:operate'])
    const [publicPort, privatePort, service] = [await freePort(), await freePort(), await feed.start()]
    origin = `http://127.0.0.1:${publicPort}`
    const owners = ['catalog', 'reservation-feed', 'ari', 'event-dispatch']
    gateway = new ServiceProcess('gateway', privatePort, {
      DATABASE_URL: url,
      INSTANCE_NAME: `gateway-${randomUUID()}`,
      PUBLIC_PORT: String(publicPort),
      PRIVATE_PORT: String(privatePort),
      ...Object.fromEntries(owners.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, service])),
      IDENTITY_KEYS: owners.map((name) => `${name}=${keys.identity}`).join(','),
      KEY_ENCRYPTION_KEYS: `k1:${keys.encryption}`,
      OPERATOR_JWKS: staff.file,
      OPERATOR_ISSUER: ISSUER,
      OPERATOR_AUDIENCE: AUDIENCE,
    })
    await gateway.start()
  })
  afterAll(async () => {
    await gateway.stop()
    feed.stop()
    databasePath.close()
    staff.remove()
    await database.drop()
  })

  const hide = (what: string, value: string): string => {
    secret.set(`${what} ${value}`, value)
    return value
  }

  const ops = async (method: string, path: string, body?: object | string): Promise<Answer> =>
    call(gateway.url, `/ops/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    })

  /** Signs, and remembers the signature as a secret. */
  const signed = (key: SigningKey, target: string, options: object = {}): Record<string, string> => {
    const headers = signatureHeaders(key, target, options)
    hide('signature', headers['X-Service-Signature']!)
    return headers
  }

  async function operatorsWork() {
    const reason = 'test'
    const { json } = await ops('POST', '/applications', { name: 'PMS', contact: CONTACT, reason })
    const application = json.application_id as string
    await ops('POST', `/applications/${application}/approve`, { reason })
    const made = await ops('POST', '/connections', {
      application_id: application,
      source_property_id: 'prop_1',
      external_property_id: 'X',
      environment: 'sandbox',
      reason,
    })
    const connection = made.json.property_id as string
    await ops('POST', `/connections/${connection}/transitions`, { to: 'pilot', reason })
    const issue = async (type: string) => {
      const answer = await ops('POST', `/connections/${connection}/credentials`, { type, reason })
      for (const name of ['signing_secret', 'client_secret'])
        if (answer.json[name]) hide(name, answer.json[name] as string)
      return answer.json as Record<string, string>
    }
    const [key, client] = [await issue('signing'), await issue('oauth')]
    const rotated = await ops('POST', `/credentials/${key.credential_id}/rotate`, { reason })
    hide('signing_secret', rotated.json.signing_secret as string)
    await ops('POST', '/applications', '{"name":"Broken","contact":{"email":"margaret.hamilton@example.com"}')
    await ops('POST', '/applications', { contact: { email: 'margaret.hamilton@example.com' }, name: 5 })
    return { connection, key: key as unknown as SigningKey, client, application }
  }

  async function partnersWork({ connection, key, client }: Awaited<ReturnType<typeof operatorsWork>>) {
    const { client_id, client_secret } = client as { client_id: string; client_secret: string }
    const path = `${BASE_PATH}/reservations`
    const target = `${path}?property_id=${connection}&cursor=cursor-of-a-partner`
    const page = (headers: Record<string, string>) => call(origin, target, { headers })
    feed.script = (request, response) => {
      hide('identity', request.headers['x-internal-identity'] as string)
      response.setHeader('content-type', 'application/json').end(PAGE)
    }
    const correlation = { 'X-Correlation-Id': 'page-with-guests' }
    expect((await page({ ...signed(key, target), ...correlation, Cookie: 'session=cookie-of-a-partner' })).status).toBe(
      200,
    )
    harmless.push('page-with-guests', connection, '/reservations')
    await page(signed({ ...key, signing_secret: hide('wrong secret', 'a-secret-of-somebody-else') }, target))
    const mistaken = await page(signed(key, target, { signedPath: target }))
    expect(mistaken.json.error!.details).toMatchObject([{ hint: 'query_was_signed' }])
    harmless.push('query_was_signed')
    await call(origin, `${BASE_PATH}/guests/ada.lovelace@example.com`, {
      headers: signed(key, `${BASE_PATH}/guests/ada.lovelace@example.com`),
    })
    feed.script = (request) => request.socket.destroy()
    expect((await page(signed(key, target))).status).toBe(503)
    feed.script = (_request, response) => response.writeHead(500).end(PAGE)
    await page(signed(key, target))

    const token = (body: string, headers: Record<string, string> = {}, query = '') =>
      call(origin, `${BASE_PATH}/oauth/token${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      })
    const grant = 'grant_type=client_credentials'
    const granted = await token(`${grant}&client_id=${client_id}&client_secret=${client_secret}`)
    const bearer = hide('token', granted.json.access_token as string)
    await page({ Authorization: `Bearer ${bearer}` })
    await page({ Authorization: `Bearer ${hide('unknown token', 'cat_something-that-is-no-token')}` })
    const basic = hide('basic', Buffer.from(`${client_id}:${client_secret}`).toString('base64'))
    await token(grant, { Authorization: `Basic ${basic}` })
    await token(grant, {}, `?client_id=${client_id}&client_secret=${client_secret}`)
    await token(`${grant}&client_id=${client_id}&client_secret=${hide('wrong secret', 'a-guessed-client-secret')}`)

    const mappings = `${BASE_PATH}/properties/${connection}/mappings`
    const write = (body: string) =>
      call(origin, mappings, {
        method: 'POST',
        body,
        headers: {
          ...signed(key, mappings, { method: 'POST', body }),
          'Content-Type': 'application/json',
          'Idempotency-Key': randomUUID(),
        },
      })
    await write(
      JSON.stringify({ mappings: [{ entity_type: 'room', service_id: 'Lovelace', external_id: 'Adelheid' }] }),
    )
    await write('{"guest":"Adelheid Lovelace"')
    await write('{"guest":"Adelheid Lovelace"}')
    return { page, target, key, write }
  }

  async function nonsense(key: SigningKey) {
    const headers = Object.entries(signed(key, '/')).map(([name, value]) => `${name}: ${value}`)
    for (const lines of [
      ['GET /ada.lovelace@example.com HTTP/9.9', 'Host: h', ...headers],
      ['GET / HTTP/1.1', 'Host : h', ...headers],
      ['GET / HTTP/1.1', 'Host: h', ...headers, `Cookie: ${'Lovelace'.repeat(10_000)}`],
      ['FETCH /Lovelace HTTP/1.1', ...headers],
    ]) {
      const socket = await RawClient.open(origin)
      await socket.send(headOf(...lines))
      await socket.untilEnd()
    }
  }

  /** PostgreSQL quotes the whole row that breaks a constraint, and TypeORM every parameter. */
  async function failOnARow() {
    const sql = new Client({ connectionString: database.url })
    await sql.connect()
    await sql.query(`ALTER TABLE application ADD CONSTRAINT never CHECK (name <> 'Refused PMS')`)
    await sql.end()
    const answer = await ops('POST', '/applications', { name: 'Refused PMS', contact: CONTACT, reason: 'test' })
    expect(answer.status).toBe(500)
    harmless.push('"constraint":"never"')
  }

  it('hold no secret, signature, token, guest or contact, at any level', async () => {
    hide('operator', operator)
    for (const [what, value] of Object.entries(keys)) hide(what, value)
    hide('database', decodeURIComponent(new URL(database.url).password))
    hide('cookie', 'cookie-of-a-partner')
    hide('cursor', 'cursor-of-a-partner')
    for (const text of [...GUEST, CONTACT.name, CONTACT.email, 'margaret.hamilton@example.com']) hide('person', text)

    const world = await operatorsWork()
    const { page, target, key, write } = await partnersWork(world)
    await nonsense(key)
    await failOnARow()
    databasePath.cut()
    const stranger = { ...key, key_id: 'key_unknown' }
    expect((await page(signed(stranger, target))).status).toBe(503)
    expect(
      (await write(JSON.stringify({ mappings: [{ entity_type: 'room', service_id: 'a', external_id: 'b' }] }))).status,
    ).toBe(503)
    expect((await ops('POST', '/applications', { name: 'PMS', contact: CONTACT, reason: 'test' })).status).toBe(503)
    databasePath.restore()
    await eventually(async () => expect((await page(signed(stranger, target))).status).toBe(401))
    await gateway.stop()

    for (const text of harmless) expect(gateway.log).toContain(text)
    expect(gateway.log).toMatch(/"level":20,/)
    expect(gateway.log).toMatch(/"level":50,/)
    const found = [...secret].filter(([, value]) => gateway.log.includes(value)).map(([what]) => what)
    expect(found).toEqual([])
  })
})
