import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { call, type Partner, refused, signatureHeaders, type SigningKey } from './partner.js'

const BODY = JSON.stringify({ mappings: [{ entity_type: 'room', service_id: 'rm_1', external_id: 'DBL' }] })

describe('a signature', () => {
  const gateway = new GatewayUnderTest()
  const { feed: catalog } = gateway
  let connection: string
  let path: string
  let key: SigningKey
  let partner: Partner
  /** Number of requests that reached the service. */
  let received = 0
  // The same timestamp gives the same signature, so each test uses another one.
  let timestamp = Math.floor(Date.now() / 1000) - 100

  beforeAll(async () => {
    await gateway.start()
    const application = await gateway.approvedApplication()
    const limits = { mutations: { per_minute: 100_000, burst: 10_000 } }
    await gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
    connection = await gateway.pilotConnection(application)
    path = `/properties/${connection}/mappings`
    key = await gateway.signingKey(connection)
    partner = gateway.partner(key)
    catalog.script = (request, response) => {
      received += 1
      request.resume().on('end', () => response.end('{"schema_version":"1.0.0","changed":1}'))
    }
  })
  afterAll(() => gateway.stop())
  beforeEach(() => {
    received = 0
    timestamp += 1
  })

  const reused = refused(401, 'invalid_signature', { code: 'signature_reused' })
  /** Sends a mapping write. */
  const using = (
    idempotencyKey: string,
    given: { query?: string; timestamp?: number; headers?: Record<string, string> } = {},
  ) => {
    const headers = { 'content-type': 'application/json', 'idempotency-key': idempotencyKey, ...given.headers }
    return partner.get(path + (given.query ?? ''), { method: 'POST', body: BODY, timestamp, ...given, headers })
  }

  it('is accepted for retries with its first key, bare or quoted, and with no other', async () => {
    expect((await using('a')).status).toBe(200)
    expect((await using('"a"')).status).toBe(200)
    const answer = await using('b')
    expect(answer).toMatchObject(reused)
    expect(answer.json.error!.message).toMatch(/new timestamp/)
    expect(received).toBe(2)
    expect((await using('b', { timestamp: timestamp - 50 })).status).toBe(200)
  })

  it('of a dry run is refused for the write and with any other query', async () => {
    const dryRun = { query: '?dry_run=true' }
    expect((await using('a', dryRun)).status).toBe(200)
    for (const query of ['', '?', '?dry_run=true&x=1', '?dry_run=false']) {
      expect(await using('a', { query })).toMatchObject(reused)
    }
    expect(received).toBe(1)
    expect((await using('a', dryRun)).status).toBe(200)
    expect((await using('a', { timestamp: timestamp - 50 })).status).toBe(200)
  })

  it('is the same in upper case', async () => {
    expect((await using('a')).status).toBe(200)
    const target = BASE_PATH + path
    const signed = signatureHeaders(key, target, { method: 'POST', body: BODY, timestamp })['X-Service-Signature']!
    expect(await using('b', { headers: { 'X-Service-Signature': signed.toUpperCase() } })).toMatchObject(reused)
  })

  it('is bound only by valid requests', async () => {
    expect((await using('')).status).toBe(400)
    expect((await using('""')).status).toBe(400)
    expect((await using('a')).status).toBe(200)
  })

  it('is bound before the service is called, even if the call fails', async () => {
    const { script } = catalog
    catalog.script = (_request, response) => response.writeHead(500).end('{}')
    expect((await using('a')).status).toBe(500)
    catalog.script = script
    expect(await using('b')).toMatchObject(reused)
    expect((await using('a')).status).toBe(200)
  })

  it('of a read is not bound', async () => {
    for (const idempotencyKey of ['a', 'b']) {
      const headers = { 'Idempotency-Key': idempotencyKey }
      expect((await partner.get(path, { headers, timestamp })).status).toBe(200)
    }
  })

  it('sent many times at once with different keys is accepted once', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => using(`k${index}`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(11)
    expect(received).toBe(1)
  })

  it('that cannot be bound is refused with 503', async () => {
    expect((await using('a')).status).toBe(200)
    received = 0
    gateway.databasePath.cut()
    const answer = await using('b')
    gateway.databasePath.restore()
    expect(answer).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
    expect(answer.headers['retry-after']).toBe('2')
    expect(received).toBe(0)
    await gateway.until(
      () => using('a'),
      ({ status }) => status === 200,
      5_000,
    )
  })

  it('is absent from requests with a token, which are not bound', async () => {
    const client = await OAuthPartner.issued(gateway, connection)
    const authorization = `Bearer ${await client.token()}`
    for (const idempotencyKey of ['a', 'b']) {
      const answer = await call(gateway.publicOrigin, BASE_PATH + path, {
        method: 'POST',
        body: BODY,
        headers: { authorization, 'content-type': 'application/json', 'idempotency-key': idempotencyKey },
      })
      expect(answer.status).toBe(200)
    }
    expect(received).toBe(2)
  })
})
