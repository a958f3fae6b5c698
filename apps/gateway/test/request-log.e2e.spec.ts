import { randomUUID } from 'node:crypto'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'
import type { LoggedRequest, RequestPage } from '@connectivity/contracts/request-log'
import { SERVED_PAGE_HEADER, STORED_ANSWER_HEADER } from '@connectivity/contracts/request-log'
import { eventually } from '@connectivity/testing/eventually'
import { RequestLogStore } from '../src/request-log/request-log.store.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call, type Partner, signatureHeaders, type SigningKey } from './partner.js'

const BOOKED = Date.parse('2026-11-20T10:15:30.123Z')

describe('the request log', () => {
  const gateway = new GatewayUnderTest()
  let application: string
  let connection: string
  let key: SigningKey & { credential_id: string }
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
    const many = { per_minute: 100_000, burst: 10_000 }
    const limits = { reads: many, feed: many, mutations: many, token: many }
    await gateway.ops('PUT', `/applications/${application}/limits`, { reason: 'test', limits })
    connection = await gateway.pilotConnection(application)
    key = await gateway.signingKey(connection)
    partner = gateway.partner(key)
    page = `/reservations?property_id=${connection}`
    await gateway.untilServed(() => partner.get(page))
  })
  afterAll(() => gateway.stop())
  beforeEach(() => {
    gateway.feed.script = (_request, response) => response.end('{}')
  })

  const idOf = ({ headers }: Answer) => String(headers['x-correlation-id'])
  const list = async (query: string, by = partner) => (await by.get(`/requests${query}`)).json as unknown as RequestPage
  /** The entry of an answered request, within the promised 2 s and some for a busy machine. */
  const entryOf = async (answer: Answer, by = partner): Promise<LoggedRequest> => {
    const found = await gateway.untilServed(() => by.get(`/requests/${idOf(answer)}`))
    return found.json.request as LoggedRequest
  }
  const operatorsEntry = (id: string) =>
    eventually(async () => {
      const { json } = await gateway.ops('GET', `/requests?correlation_id=${id}`)
      const [entry] = json.requests as (LoggedRequest & { application_id: string | null })[]
      if (!entry) throw new Error(`no entry for ${id}`)
      return entry
    })

  it('shows a page of the feed with its stamps, limit and sizes, never its body', async () => {
    gateway.feed.script = (_request, response) => {
      const served = `${BOOKED} ${BOOKED + 5_000} 3`
      response.writeHead(200, { [SERVED_PAGE_HEADER]: served, 'content-length': 14 }).end('{"guest":"Z"} ')
    }
    const answer = await partner.get(`${page}&updated_since=2026-11-20T00:00:00Z&color=red`)
    expect(answer.headers).not.toHaveProperty(SERVED_PAGE_HEADER)
    expect(await entryOf(answer)).toEqual({
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      correlation_id: idOf(answer),
      method: 'GET',
      path: `${BASE_PATH}/reservations`,
      query: { property_id: connection, updated_since: '2026-11-20T00:00:00Z', color: null },
      property_id: connection,
      credential_id: key.key_id,
      auth_method: 'signature',
      authenticated: true,
      status: 200,
      code: null,
      details: [],
      duration_ms: expect.any(Number),
      request_bytes: 0,
      response_bytes: 14,
      rate_limit: { class: 'feed', remaining: expect.any(Number) },
      clock_skew_seconds: expect.any(Number),
      idempotency: null,
      page: { from: '2026-11-20T10:15:30.123Z', to: '2026-11-20T10:15:35.123Z', rows: 3 },
      repeated: 1,
    })
  })

  it("keeps the faults of a service's refusal and how an answer to a change came about", async () => {
    const details = [{ pointer: '/outcome', code: 'unknown_value', message: 'outcome must be processed.' }]
    const refusal = JSON.stringify({
      schema_version: '1.0.0',
      error: { code: 'ari_rejected', message: 'No.', details },
    })
    gateway.feed.script = (_request, response) =>
      response
        .writeHead(422, { [STORED_ANSWER_HEADER]: 'replayed', 'x-internal-error-code': 'ari_rejected' })
        .end(refusal)
    const body = JSON.stringify({
      expected_version: 0,
      mappings: [{ entity_type: 'room', service_id: 'r', external_id: 'R' }],
    })
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const answer = await partner.get(`/properties/${connection}/mappings`, { method: 'POST', headers, body })
    expect(answer.json.error!.details).toEqual(details)
    expect(await entryOf(answer)).toMatchObject({
      method: 'POST',
      status: 422,
      code: 'ari_rejected',
      details,
      idempotency: 'replayed',
      request_bytes: Buffer.byteLength(body),
      property_id: connection,
    })
  })

  it('shows how long the body of a refused request was', async () => {
    const body = JSON.stringify({ mappings: 'none', filler: 'x'.repeat(20_000) })
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const answer = await partner.get(`/properties/${connection}/mappings`, { method: 'POST', headers, body })
    expect(answer.status).toBe(400)
    expect(await entryOf(answer)).toMatchObject({ status: 400, request_bytes: body.length })
  })

  it('folds equal polls that find nothing into one entry per minute', async () => {
    gateway.feed.script = (_request, response) => response.writeHead(304).end()
    await eventually(async () => {
      // Begin early in a minute, so that all polls belong to it.
      if (new Date().getSeconds() > 55) throw new Error('the minute is about to end')
    })
    const since = new Date().toISOString()
    const first = await partner.get(`${page}&limit=1`)
    for (let count = 1; count < 4; count++) await partner.get(`${page}&limit=${count}`)
    const entry = await eventually(async () => {
      const { requests } = await list(`?property_id=${connection}&status=304&since=${since}`)
      expect(requests.map(({ repeated }) => repeated)).toEqual([4])
      return requests[0]!
    })
    expect(entry).toMatchObject({ correlation_id: idOf(first), page: null })
  })

  it('shows a failure under the key that it named, with detail and hint, to this application only', async () => {
    const target = `${BASE_PATH}${page}`
    const path = `${BASE_PATH}/reservations`
    const headers = signatureHeaders(key, target, { signedPath: `${path}/` })
    const answer = await call(gateway.publicOrigin, target, { headers })
    expect(answer.status).toBe(401)
    expect(await entryOf(answer)).toMatchObject({
      authenticated: false,
      auth_method: null,
      credential_id: key.key_id,
      property_id: connection,
      status: 401,
      code: 'invalid_signature',
      details: [{ code: 'signature_mismatch', hint: 'trailing_slash' }],
      rate_limit: null,
    })
    const other = await gateway.approvedApplication()
    const stranger = gateway.partner(await gateway.signingKey(await gateway.pilotConnection(other)))
    await gateway.untilServed(() => stranger.get('/properties'))
    expect((await stranger.get(`/requests/${idOf(answer)}`)).status).toBe(404)
    expect(await stranger.get(`/requests?property_id=${connection}`)).toMatchObject({
      status: 403,
      json: { error: { code: 'property_forbidden' } },
    })
    const { requests } = await list('?status=401', stranger)
    expect(requests).toEqual([])
  })

  it('keeps what strangers name for operators only when it exists', async () => {
    const foreign = { key_id: `key_${randomUUID().replaceAll('-', '')}`, signing_secret: 'x' }
    const target = `${BASE_PATH}${page}`
    const answer = await call(gateway.publicOrigin, target, { headers: signatureHeaders(foreign, target) })
    const entry = await operatorsEntry(idOf(answer))
    expect(entry).toMatchObject({ status: 401, application_id: null, credential_id: null, property_id: null })
    expect((await partner.get(`/requests/${idOf(answer)}`)).status).toBe(404)
  })

  it('shows a request for a foreign connection without naming that connection', async () => {
    const other = await gateway.pilotConnection(await gateway.approvedApplication())
    const answer = await partner.get(`/reservations?property_id=${other}`)
    expect(answer.status).toBe(403)
    expect(await entryOf(answer)).toMatchObject({ code: 'property_forbidden', property_id: null, authenticated: true })
  })

  it('shows a refusal before authentication under the named key', async () => {
    const target = `${BASE_PATH}/production/request`
    const headers = {
      ...signatureHeaders(key, target, { method: 'POST' }),
      'content-type': 'application/json',
      'content-length': String(17 * 1024),
    }
    const answer = await call(gateway.publicOrigin, target, { method: 'POST', headers, body: Buffer.alloc(17 * 1024) })
    expect(answer.status).toBe(413)
    expect(await entryOf(answer)).toMatchObject({ status: 413, authenticated: false, credential_id: key.key_id })
  })

  it('shows token requests and bearer requests', async () => {
    const client = await OAuthPartner.issued(gateway, connection)
    const granted = await client.ask()
    expect(await entryOf(granted)).toMatchObject({
      path: `${BASE_PATH}/oauth/token`,
      auth_method: null,
      authenticated: true,
      credential_id: client.client.client_id,
      rate_limit: { class: 'token' },
    })
    const answer = await client.get('/properties', String(granted.json.access_token))
    expect(await entryOf(answer)).toMatchObject({ auth_method: 'bearer', clock_skew_seconds: null })
    const failed = await client.ask({ client_secret: 'wrong' })
    expect(await entryOf(failed)).toMatchObject({ authenticated: false, credential_id: client.client.client_id })
  })

  it('restricts a key that is issued for one connection to that connection and its own requests', async () => {
    const second = await gateway.pilotConnection(application, 'prop_2')
    const own = await gateway.signingKey(second, { own_connection_only: true })
    const narrow = gateway.partner(own)
    await gateway.untilServed(() => narrow.get('/properties'))
    const mine = await narrow.get('/properties')
    const foreign = await partner.get('/auth/health')
    await entryOf(foreign)
    expect(await entryOf(mine, narrow)).toMatchObject({ credential_id: own.key_id })
    expect((await narrow.get(`/requests/${idOf(foreign)}`)).status).toBe(404)
    expect((await narrow.get(`/requests?property_id=${connection}`)).status).toBe(403)
    const beyond = await narrow.get(`/reservations?property_id=${connection}`)
    expect(await entryOf(beyond, narrow)).toMatchObject({ code: 'property_forbidden', property_id: null })
  })

  it('lets operators read all requests and filter by application', async () => {
    const answer = await partner.get('/auth/health')
    expect(await operatorsEntry(idOf(answer))).toMatchObject({ application_id: application })
    const { json } = await gateway.ops('GET', `/requests?application_id=${application}&limit=100`)
    const of = new Set((json.requests as { application_id: string }[]).map(({ application_id }) => application_id))
    expect(of).toEqual(new Set([application]))
  })

  it('answers while the database is unavailable, counts the omitted entries, and goes on afterwards', async () => {
    gateway.databasePath.stall()
    const times: number[] = []
    for (let count = 0; count < 20; count++) {
      const begun = performance.now()
      expect((await partner.get(page)).status).toBe(200)
      times.push(performance.now() - begun)
    }
    gateway.databasePath.restore()
    expect(times.toSorted((a, b) => a - b)[10]).toBeLessThan(1_000)
    const answer = await partner.get('/catalog/after-the-pause')
    await eventually(() => entryOf(answer))
  })

  it('keeps no secret, signature, token, body or foreign parameter of any call', async () => {
    const canary = `canary${randomUUID().replaceAll('-', '')}`
    const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
    const answers: Answer[] = []
    for (const { method, path } of operations) {
      const target = `${BASE_PATH}${path.replace(/\{\w+\}/, connection)}?unknown=${canary}`
      const body =
        method === 'GET' ? undefined : JSON.stringify({ property_id: connection, guest: canary, url: canary })
      const signed = { ...headers, ...signatureHeaders(key, target, { method, ...(body && { body }) }) }
      answers.push(await call(gateway.publicOrigin, target, { method, headers: signed, ...(body && { body }) }))
      const bearer = { ...headers, authorization: `Bearer ${canary}` }
      answers.push(await call(gateway.publicOrigin, target, { method, headers: bearer, ...(body && { body }) }))
    }
    await operatorsEntry(idOf(answers.at(-1)!))
    const rows = await gateway.sql('SELECT r::text FROM logged_request r')
    const text = rows.map(({ r }) => r).join('\n')
    expect(rows.length).toBeGreaterThan(operations.length)
    expect(text).not.toContain(canary)
    expect(text).not.toContain(key.signing_secret)
  })

  it('drops whole days after two weeks', async () => {
    const day = new Date(Date.now() - 16 * 86_400_000).toISOString().slice(0, 10)
    const name = `logged_request_${day.replaceAll('-', '')}`
    await gateway.sql(
      `CREATE TABLE ${name} PARTITION OF logged_request FOR VALUES FROM ('${day}') TO ('${day}'::date + 1)`,
    )
    const existing = `SELECT to_regclass('${name}') IS NOT NULL AS exists`
    expect(await gateway.sql(existing)).toEqual([{ exists: true }])
    await gateway.app.get(RequestLogStore).maintain()
    expect(await gateway.sql(existing)).toEqual([{ exists: false }])
    expect((await gateway.sql('SELECT count(*)::integer AS kept FROM logged_request'))[0]!.kept).toBeGreaterThan(0)
  })
})
