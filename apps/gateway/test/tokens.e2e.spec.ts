import { jest } from '@jest/globals'
import { scopes } from '@connectivity/contracts/scopes'
import { Database } from '@connectivity/database'
import { eventually } from '@connectivity/testing/eventually'
import { LOCK_WAITS } from '@connectivity/testing/lock-waits'
import { Client } from 'pg'
import { AccessTokenStore } from '../src/admission/oauth/access-token.store.js'
import { newToken } from '../src/live/access-token.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call } from './partner.js'

const reason = { reason: 'test' }
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe('access tokens', () => {
  const gateway = new GatewayUnderTest()
  let application: string
  let connection: string
  let page: string

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())

  const issued = (given: object = {}) => OAuthPartner.issued(gateway, connection, given)
  const dead = (answer: Answer) => {
    expect(answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer\b/)
  }
  const sql = (text: string, values?: unknown[]) => gateway.sql(text, values)

  it('admit their client, as /auth/health reports', async () => {
    const partner = await issued()
    const token = await partner.token()
    expect((await partner.get(page, token)).status).toBe(200)
    expect((await partner.get(page, token, { authorization: `bearer ${token}` })).status).toBe(200)
    const health = await partner.get('/auth/health', token)
    expect(health).toMatchObject({ status: 200, json: { auth_method: 'bearer', client_id: partner.client.client_id } })
    expect(health.json).toEqual({
      schema_version: '1.0.0',
      status: 'ok',
      auth_method: 'bearer',
      client_id: partner.client.client_id,
      scopes,
      property_ids: [connection],
      server_time: TIME,
      clock_skew_seconds: null,
      credential: { created_at: TIME, expires_at: null, rotation: null },
    })
  })

  it('identify the caller to the service, with the scopes of the token', async () => {
    const partner = await issued()
    await partner.get(page, await partner.token({ scope: 'reservations:read' }))
    const [, claims] = String(gateway.feed.last.headers['x-internal-identity']).split('.')
    expect(JSON.parse(Buffer.from(claims!, 'base64url').toString())).toMatchObject({
      application_id: application,
      connection: { property_id: connection },
      scopes: ['reservations:read'],
    })
    expect(gateway.feed.last.headers.authorization).toBeUndefined()
  })

  it('limit a restricted client to its own connection', async () => {
    const other = await gateway.pilotConnection(application, 'prop_other')
    const partner = await issued({ own_connection_only: true })
    const token = await partner.token()
    expect(await partner.get(`/reservations?property_id=${other}`, token)).toMatchObject({
      status: 403,
      json: { error: { code: 'property_forbidden' } },
    })
    expect((await partner.get('/auth/health', token)).json.property_ids).toEqual([connection])
  })

  it.each([
    ['no token of ours', () => 'abc'],
    ['a token that was never issued', () => newToken('access', 'ab'.repeat(32))],
    ['a token with a wrong checksum', () => `${newToken('access', 'ab'.repeat(32)).slice(0, -1)}_`],
  ])('do not include %s', async (_what, make) => {
    const partner = await issued()
    dead(await partner.get('/properties', make()))
    dead(await partner.get('/nothing', make()))
  })

  it('are refused without a database query when malformed', async () => {
    const partner = await issued()
    const query = jest.spyOn(gateway.app.get(Database, { strict: false }), 'query')
    const lookups = () =>
      query.mock.calls.filter(([asked]) => (asked as { name?: string }).name === 'find-token').length
    try {
      dead(await partner.get('/properties', `${newToken('access', 'ab'.repeat(32)).slice(0, -2)}__`))
      expect(lookups()).toBe(0)
      dead(await partner.get('/properties', newToken('access', 'ab'.repeat(32))))
      expect(lookups()).toBe(1)
    } finally {
      query.mockRestore()
    }
  })

  it('must come in one header of one mechanism', async () => {
    const partner = await issued()
    const authorization = `Bearer ${await partner.token()}`
    const ask = (...headers: string[]) =>
      call(gateway.publicOrigin, '/api/connectivity/v1/properties', { headers: ['Host', 'h', ...headers] })
    expect((await ask('Authorization', authorization)).status).toBe(200)
    dead(await ask('Authorization', authorization, 'Authorization', authorization))
    dead(await ask('Authorization', `Basic ${authorization}`))
    dead(await ask('Authorization', authorization.slice(7)))
    const both = await ask('Authorization', authorization, 'X-Service-Key-Id', 'key_1')
    expect(both).toMatchObject({ status: 401, json: { error: { code: 'invalid_signature' } } })
  })

  it('are stored as hashes, like secrets', async () => {
    const partner = await issued()
    const token = await partner.token()
    const rows = await sql(
      'SELECT t::text AS row FROM access_token t UNION ALL SELECT s::text FROM credential_secret s',
    )
    const text = JSON.stringify(rows) + (await gateway.storedText())
    for (const secret of [token, partner.client.client_secret]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  it('may be obtained any number of times, each valid independently of the others', async () => {
    const partner = await issued()
    const tokens = [await partner.token(), await partner.token()]
    expect(new Set(tokens).size).toBe(2)
    for (const token of tokens) expect((await partner.get('/properties', token)).status).toBe(200)
  })

  it('end when they expire, even if cached', async () => {
    const partner = await issued()
    const token = await partner.token()
    await sql(`UPDATE access_token SET expires_at = now() + interval '700 ms'`)
    expect((await partner.get('/properties', token)).status).toBe(200)
    dead(await gateway.untilAnswered(() => partner.get('/properties', token), 401))
  })

  it('end with their client, and are never granted beyond it', async () => {
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const partner = await issued({ expires_at })
    const { json } = await partner.ask()
    expect(json.expires_in).toBeLessThanOrEqual(60)
    expect(json.expires_in).toBeGreaterThan(50)
    const brief = await issued({ expires_at: new Date(Date.now() + 1_200).toISOString() })
    const token = await brief.token()
    await sql(`UPDATE access_token SET expires_at = now() + interval '1 hour'`)
    expect((await brief.get('/properties', token)).status).toBe(200)
    dead(await gateway.untilAnswered(() => brief.get('/properties', token), 401))
    expect((await brief.ask()).json.error!.code).toBe('invalid_client')
  })

  it('are invalid within 1 s of the revocation, and no more are granted', async () => {
    const partner = await issued()
    const token = await partner.token()
    expect((await partner.get('/properties', token)).status).toBe(200)
    await gateway.ops('POST', `/credentials/${partner.client.credential_id}/revoke`, reason)
    dead(await gateway.untilAnswered(() => partner.get('/properties', token), 401))
    await gateway.until(
      () => partner.ask(),
      ({ json }) => json.error?.code === 'invalid_client',
    )
  })

  it('are permanently invalid after the application is suspended', async () => {
    const own = await gateway.approvedApplication()
    const partner = await OAuthPartner.issued(gateway, await gateway.pilotConnection(own))
    const token = await partner.token()
    expect((await partner.get('/properties', token)).status).toBe(200)
    await gateway.ops('POST', `/applications/${own}/suspend`, reason)
    dead(await gateway.untilAnswered(() => partner.get('/properties', token), 401))
    await gateway.until(
      () => partner.ask(),
      ({ json }) => json.error?.code === 'invalid_client',
    )
    await gateway.ops('POST', `/applications/${own}/approve`, reason)
    const renewed = await gateway.until(
      () => partner.ask(),
      ({ status }) => status === 200,
    )
    expect((await partner.get('/properties', renewed.json.access_token as string)).status).toBe(200)
    dead(await partner.get('/properties', token))
  })

  it('are not granted to a client that was revoked behind the cache', async () => {
    const partner = await issued()
    expect((await partner.ask()).status).toBe(200)
    await sql('UPDATE credential SET revoked_at = now() WHERE credential_id = $1', [partner.client.credential_id])
    expect(await partner.ask()).toMatchObject({ status: 401, json: { error: { code: 'invalid_client' } } })
  })

  it('are not granted during a suspension', async () => {
    const own = await gateway.approvedApplication()
    const partner = await OAuthPartner.issued(gateway, await gateway.pilotConnection(own))
    expect((await partner.ask()).status).toBe(200)
    const suspender = new Client({ connectionString: gateway.database.url })
    await suspender.connect()
    await suspender.query(`BEGIN; UPDATE application SET state = 'suspended' WHERE application_id = '${own}'`)
    const asked = partner.ask()
    await eventually(async () => expect(await Promise.race([sql(LOCK_WAITS), asked])).not.toEqual([]))
    await suspender.query('COMMIT')
    await suspender.end()
    expect(await asked).toMatchObject({ status: 401, json: { error: { code: 'invalid_client' } } })
  })

  it('stay valid when a connection is disabled, which alone answers 403', async () => {
    const own = await gateway.pilotConnection(application, 'prop_disabled')
    const partner = await OAuthPartner.issued(gateway, own)
    const token = await partner.token()
    const ask = () => partner.get(`/reservations?property_id=${own}`, token)
    expect((await ask()).status).toBe(200)
    await gateway.ops('POST', `/connections/${own}/transitions`, { to: 'disabled', ...reason })
    const answer = await gateway.untilAnswered(ask, 403)
    expect(answer.json.error!.code).toBe('connection_disabled')
    expect((await partner.get('/auth/health', token)).status).toBe(200)
    expect((await partner.ask()).status).toBe(200)
  })

  it('record the last use of their client', async () => {
    const partner = await issued()
    await partner.token()
    const list = () => gateway.ops('GET', `/connections/${connection}/credentials?limit=100`)
    const used = ({ json }: Answer) =>
      (json.credentials as { client_id?: string; last_used_at: string | null }[]).find(
        ({ client_id }) => client_id === partner.client.client_id,
      )!.last_used_at !== null
    await gateway.until(list, used, 10_000)
  })

  it('are purged once they have expired', async () => {
    const partner = await issued()
    const live = await partner.token()
    await partner.token()
    await sql(
      `UPDATE access_token SET expires_at = now() - interval '1 s' WHERE token_hash = (SELECT token_hash FROM access_token
        WHERE credential_id = $1 ORDER BY expires_at DESC LIMIT 1)`,
      [partner.client.credential_id],
    )
    expect(await gateway.app.get(AccessTokenStore, { strict: false }).purge()).toBeGreaterThan(0)
    expect(await gateway.app.get(AccessTokenStore, { strict: false }).purge()).toBe(0)
    expect((await partner.get('/properties', live)).status).toBe(200)
  })

  it('are served from memory without the database: unknown ones get 503 and none are granted', async () => {
    const [known, fresh] = [await issued(), await issued()]
    const [token, untried] = [await known.token(), await fresh.token()]
    expect((await known.get(page, token)).status).toBe(200)
    gateway.databasePath.cut()
    try {
      await gateway.untilAnswered(() => fresh.get(page, untried), 503)
      expect(await fresh.get(page, newToken('access', 'ab'.repeat(32)))).toMatchObject({ status: 503 })
      expect(await known.ask()).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
      expect((await known.get(page, token)).status).toBe(200)
      dead(await known.get(page, 'abc'))
    } finally {
      gateway.databasePath.restore()
    }
    await gateway.until(
      () => fresh.get(page, untried),
      ({ status }) => status === 200,
      5_000,
    )
  })
})
