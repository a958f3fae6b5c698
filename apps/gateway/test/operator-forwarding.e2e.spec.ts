import { createSecretKey, randomBytes } from 'node:crypto'
import { cloudEventText } from '@connectivity/contracts/cloud-event'
import { AUDIT_ENTRY_BYTES_HEADER } from '@connectivity/contracts/identity'
import { type AuditEntry, operatorChangeEventType } from '@connectivity/contracts/operator-changes'
import { Database } from '@connectivity/database'
import { proveOperatorChange } from '@connectivity/service-kit/identity'
import { AuditStore } from '../src/registry/audit/audit.store.js'
import { GatewayUnderTest, IDENTITY_KEY, identityOf } from './gateway-under-test.js'
import { call } from './partner.js'

/** The gateway and a service that stands in for the catalog and the feed. */
describe("operators' calls that a service owns", () => {
  const gateway = new GatewayUnderTest()
  const { feed: service } = gateway
  let connection: string
  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
  })
  afterAll(() => gateway.stop())
  beforeEach(() => void (service.requests.length = 0))

  const entry = (id: string): AuditEntry => ({
    id,
    at: '2026-11-20T10:00:00.000Z',
    actor: 'olga',
    action: 'connection.mappings',
    subject: connection,
    reason: 'ticket 1',
    before: null,
    after: { mappings: [] },
    correlation_id: 'abcdefgh',
  })
  /** The entry comes over Kafka as well. */
  const arrive = (made: AuditEntry) =>
    gateway.app
      .get(Database, { strict: false })
      .transaction((tx) => gateway.app.get(AuditStore, { strict: false }).keep(tx, [made]))
  const put = (body: object = { reason: 'ticket 1' }, headers = {}) =>
    gateway.ops('PUT', `/connections/${connection}/mappings`, body, headers)
  /** The message with the entry, as a service publishes it. */
  const message = (made: AuditEntry, key = IDENTITY_KEY) => {
    const envelope = { id: made.id, source: '/operators', type: operatorChangeEventType, subject: 's', time: made.at }
    return cloudEventText(envelope, JSON.stringify({ ...made, ...proveOperatorChange('catalog', [key], made) }))
  }
  const answerWithEntry = (text: string) => {
    const head = { 'content-type': 'application/json', [AUDIT_ENTRY_BYTES_HEADER]: Buffer.byteLength(text) }
    service.script = (_request, response) => void response.writeHead(200, head).end(`${text}{"schema_version":"1.0.0"}`)
  }
  const audited = async (id: string) => {
    const { json } = await gateway.ops('GET', `/audit?subject=${connection}`)
    return (json.entries as AuditEntry[]).filter((each) => each.id === id)
  }
  /** The last request to the service, including its body. */
  const answerWith = (status: number, body: object, headers: Record<string, string> = {}) => {
    const bodies: string[] = []
    service.script = async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      bodies.push(Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
    }
    return bodies
  }

  it("reach the owner with the operator's identity, and its answer comes back unchanged", async () => {
    const bodies = answerWith(200, { schema_version: '1.0.0', changed: 0 }, { 'x-internal-anything': 'secret' })
    const answer = await put({ mappings: [], reason: 'é' }, { 'X-Correlation-Id': 'my-own-id', 'Idempotency-Key': 'k' })
    expect(answer).toMatchObject({ status: 200, text: '{"schema_version":"1.0.0","changed":0}' })
    expect(answer.headers).toMatchObject({ 'x-correlation-id': 'my-own-id', 'cache-control': 'private, no-store' })
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-internal'))).toEqual([])
    expect(bodies).toEqual(['{"mappings":[],"reason":"é"}'])
    const { url, method, headers } = service.last
    expect({ url, method }).toEqual({ url: `/ops/v1/connections/${connection}/mappings`, method: 'PUT' })
    expect(headers).toMatchObject({ 'x-correlation-id': 'my-own-id', 'idempotency-key': 'k' })
    expect(headers.traceparent).toMatch(/^00-/)
    expect(headers.authorization).toBeUndefined()
    expect(identityOf(service.last, 'catalog')).toEqual({
      aud: 'catalog',
      exp: expect.any(Number),
      operator: 'olga',
      role: 'connectivity:operate',
      content: expect.any(String),
      nonce: expect.any(String),
      method: 'PUT',
      path: `/ops/v1/connections/${connection}/mappings`,
      correlation_id: 'my-own-id',
    })
  })

  it('require the role for changes, a token for everything, and the private listener', async () => {
    const target = `/ops/v1/connections/${connection}/mappings`
    const reader = await gateway.staff.token(['connectivity:read'])
    const asReader = { method: 'PUT', headers: { authorization: `Bearer ${reader}` } }
    expect(await call(gateway.privateOrigin, target, asReader)).toMatchObject({
      status: 403,
      json: { error: { code: 'insufficient_role' } },
    })
    expect((await call(gateway.privateOrigin, target, { method: 'PUT' })).status).toBe(401)
    const operator = await gateway.staff.token(['connectivity:operate'])
    const onPublic = { method: 'PUT', headers: { authorization: `Bearer ${operator}` } }
    expect((await call(gateway.publicOrigin, target, onPublic)).status).toBe(401)
    expect(service.requests).toEqual([])
    const callback = { headers: { authorization: `Bearer ${reader}` } }
    expect((await call(gateway.privateOrigin, `/ops/v1/callbacks/${connection}`, callback)).status).toBe(503)
  })

  it('of unknown connections are answered here with 404', async () => {
    for (const id of ['con_0193c0000000700080000000000000a1', 'nonsense', 'con_%61', '%00'])
      expect(await gateway.ops('PUT', `/connections/${id}/mappings`, {})).toMatchObject({
        status: 404,
        json: { error: { code: 'not_found' } },
      })
    expect(service.requests).toEqual([])
  })

  it('are refused with 415 for a body that is not JSON, and 413 for one too large', async () => {
    expect((await put({}, { 'content-type': 'text/plain' })).status).toBe(415)
    expect((await put({ reason: 'x'.repeat(1024 * 1024) })).status).toBe(413)
    expect(service.requests).toEqual([])
  })

  it('store the audit entry that comes with the answer, before they answer', async () => {
    const made = { ...entry('aud_0193c0000000700080000000000000a1'), reason: 'é 😀' }
    answerWithEntry(message(made))
    const answer = await put()
    expect(answer).toMatchObject({ status: 200, text: '{"schema_version":"1.0.0"}' })
    expect(answer.headers[AUDIT_ENTRY_BYTES_HEADER]).toBeUndefined()
    expect(await audited(made.id)).toEqual([made])
    await arrive(made)
    expect(await audited(made.id)).toHaveLength(1)
  })

  it('are answered without the entry when it is not proven; nothing is stored', async () => {
    const forged = entry('aud_0193c0000000700080000000000000a2')
    answerWithEntry(message(forged, createSecretKey(randomBytes(32))))
    expect(await put()).toMatchObject({ status: 200, text: '{"schema_version":"1.0.0"}' })
    expect(await audited(forged.id)).toEqual([])
  })

  it('get 503, not 401, when the service refuses the identity', async () => {
    answerWith(401, { schema_version: '1.0.0', error: {} })
    expect(await put()).toMatchObject({ status: 503, json: { error: { code: 'service_unavailable' } } })
  })

  it('do not wait for partners, nor partners for them', async () => {
    const open: (() => void)[] = []
    service.script = (_request, response) => void open.push(() => response.end('{"schema_version":"1.0.0"}'))
    const applications = [await gateway.approvedApplication(), await gateway.approvedApplication()]
    const polls: Promise<unknown>[] = []
    for (const application of applications) {
      const polled = await gateway.pilotConnection(application)
      const partner = gateway.partner(await gateway.signingKey(polled))
      const poll = () => partner.get(`/reservations?property_id=${polled}`)
      polls.push(...Array.from({ length: 8 }, poll))
    }
    await gateway.until(
      () => gateway.ops('GET', '/audit?limit=1'),
      () => open.length === 16,
    )
    const redelivery = gateway.ops('POST', `/connections/${connection}/redeliver`, { reason: 'r' })
    await gateway.until(
      () => gateway.ops('GET', '/audit?limit=1'),
      () => open.length === 17,
    )
    for (const finish of open) finish()
    expect((await redelivery).status).toBe(200)
    await Promise.all(polls)
  })
})
