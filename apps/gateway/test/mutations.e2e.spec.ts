import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { BASE_PATH, operations } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call, type Partner, signatureHeaders, type SigningKey } from './partner.js'

const BODY = JSON.stringify({ mappings: [{ entity_type: 'room', service_id: 'rm_1', external_id: 'DBL' }] })

describe('admission of mutations', () => {
  const gateway = new GatewayUnderTest()
  const { feed: catalog } = gateway
  let connection: string
  let foreign: string
  let disabled: string
  let key: SigningKey
  let partner: Partner
  const received: { request: IncomingMessage; body: string }[] = []

  beforeAll(async () => {
    await gateway.start()
    const application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    disabled = await gateway.pilotConnection(application, 'prop_2')
    await gateway.ops('POST', `/connections/${disabled}/transitions`, { to: 'disabled', reason: 'test' })
    foreign = await gateway.pilotConnection(await gateway.approvedApplication())
    await gateway.ops('PUT', `/applications/${application}/limits`, {
      limits: { mutations: { per_minute: 100_000, burst: 10_000 } },
      reason: 'test',
    })
    key = await gateway.signingKey(connection)
    partner = gateway.partner(key)
    catalog.script = (request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')))
      request.on('end', () => {
        received.push({ request, body })
        response.end('{"schema_version":"1.0.0","changed":1}')
      })
    }
  })
  afterAll(() => gateway.stop())
  beforeEach(() => void received.splice(0))

  interface Sent {
    body?: string | Buffer
    to?: string
    query?: string
    by?: Partner
    headers?: Record<string, string>
    without?: string
    timestamp?: number
  }
  const pathOf = (property: string) => `/properties/${property}/mappings`

  /** Sends a valid mapping write with the given deviations. */
  const write = ({ body = BODY, to = connection, query = '', by = partner, headers = {}, ...given }: Sent = {}) => {
    const all: Record<string, string> = {
      'Content-Type': 'application/json',
      'Idempotency-Key': randomUUID(),
      ...headers,
    }
    if (given.without) delete all[given.without]
    return by.get(pathOf(to) + query, { method: 'POST', body, headers: all, timestamp: given.timestamp })
  }

  const refused = (status: number, code: string, detail?: object) => ({
    status,
    json: { error: { code, ...(detail ? { details: [expect.objectContaining(detail)] } : {}) } },
  })
  const codeOf = ({ json: { error } }: Answer) => error?.code ?? null

  it('are passed on byte for byte, with their key', async () => {
    const body = ` ${BODY}\n`
    const answer = await write({
      body,
      headers: { 'Idempotency-Key': '"my key"'.replace(' ', '-'), 'Content-Type': 'application/json; charset=UTF-8' },
    })
    expect(answer).toMatchObject({ status: 200, json: { changed: 1 } })
    const [passed] = received
    expect(passed!.body).toBe(body)
    expect(passed!.request).toMatchObject({ method: 'POST', url: BASE_PATH + pathOf(connection) })
    expect(passed!.request.headers).toMatchObject({
      'idempotency-key': '"my-key"',
      'content-type': 'application/json; charset=UTF-8',
    })
  })

  describe('bodies', () => {
    const json = (value: unknown) => JSON.stringify(value)
    const item = { entity_type: 'room', service_id: 'rm_1', external_id: 'DBL' }

    it.each([
      ['no type', { without: 'Content-Type' }],
      ['plain text', { headers: { 'Content-Type': 'text/plain' } }],
      ['a form', { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }],
      ['another charset', { headers: { 'Content-Type': 'application/json; charset=iso-8859-1' } }],
      ['gzip', { headers: { 'Content-Encoding': 'gzip' } }],
    ])('with %s get 415', async (_what, sent) => {
      expect(await write(sent)).toMatchObject(refused(415, 'unsupported_media_type'))
      expect(received).toEqual([])
    })

    it.each<[string, string | Buffer, string, string]>([
      ['nothing', '', '', 'empty'],
      ['broken JSON', '{"mappings":', '', 'malformed_json'],
      ['a byte order mark', `\uFEFF${BODY}`, '', 'byte_order_mark'],
      ['a duplicate key', '{"mappings":[],"mappings":[]}', '/mappings', 'duplicate_key'],
      ['__proto__', '{"__proto__":{}}', '/__proto__', 'unknown_field'],
      ['33 levels', `{"mappings":${'['.repeat(32)}${']'.repeat(32)}}`, `/mappings${'/0'.repeat(31)}`, 'too_deep'],
      ['no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]), '', 'invalid_utf8'],
      ['half a surrogate pair', '{"a":"\\ud800"}', '/a', 'lone_surrogate'],
      ['no object', '[]', '', 'invalid_value'],
      ['null', 'null', '', 'invalid_value'],
      ['an unknown field', json({ mappings: [item], x: 1 }), '/x', 'unknown_field'],
      [
        'a missing field',
        json({ mappings: [{ ...item, service_id: undefined }] }),
        '/mappings/0/service_id',
        'missing',
      ],
      ['a wrong type', json({ mappings: [{ ...item, external_id: 1 }] }), '/mappings/0/external_id', 'invalid_value'],
      ['a list as an item', json({ mappings: [[]] }), '/mappings/0', 'invalid_value'],
      ['no items', json({ mappings: [] }), '/mappings', 'invalid_value'],
      ['an entity twice', json({ mappings: [item, item] }), '/mappings/1', 'repeated'],
      ['501 items', json({ mappings: Array(501).fill(item) }), '/mappings', 'invalid_value'],
    ])('of %s get 400', async (_what, body, pointer, code) => {
      expect(await write({ body })).toMatchObject(refused(400, 'invalid_request', { pointer, code }))
      expect(received).toEqual([])
    })
  })

  it.each(operations.filter(({ property }) => property === 'body'))(
    'of $method $path that are not JSON objects get one fault for the whole body',
    async ({ method, path }) => {
      const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': randomUUID() }
      const fault = { pointer: '', code: 'invalid_value', message: 'The body must be a JSON object.' }
      for (const body of ['[]', 'null', '7', '"con_1"', '[{"property_id":"con_1"}]']) {
        expect(await partner.get(path, { method, body, headers })).toMatchObject(refused(400, 'invalid_request', fault))
      }
    },
  )

  it('are checked against their rules before their keys are', async () => {
    const item = { entity_type: 'room', service_id: 'rm_1', external_id: 'DBL' }
    const sent = { body: JSON.stringify({ mappings: [item, item] }), without: 'Idempotency-Key' }
    expect(await write(sent)).toMatchObject(refused(400, 'invalid_request', { code: 'repeated' }))
    const callback = { headers: { 'Content-Type': 'application/json' }, body: '{"url":"ftp://pms.example.com/hooks"}' }
    expect(await partner.get(`/properties/${connection}/callback`, { method: 'PUT', ...callback })).toMatchObject(
      refused(400, 'invalid_request', { pointer: '/url', code: 'https_required' }),
    )
  })

  describe('keys', () => {
    it.each([
      ['missing', { without: 'Idempotency-Key' }, 'idempotency_key_required'],
      ['empty', { headers: { 'Idempotency-Key': '' } }, 'idempotency_key_required'],
      ['empty quotes', { headers: { 'Idempotency-Key': '""' } }, 'invalid_idempotency_key'],
      ['a lone quote', { headers: { 'Idempotency-Key': '"' } }, 'invalid_idempotency_key'],
      ['a space inside', { headers: { 'Idempotency-Key': 'a b' } }, 'invalid_idempotency_key'],
      ['too long', { headers: { 'Idempotency-Key': 'a'.repeat(256) } }, 'invalid_idempotency_key'],
    ])('are refused with 400: %s', async (_what, sent, code) => {
      expect(await write(sent)).toMatchObject(refused(400, code))
      expect(received).toEqual([])
    })

    it('sent twice get 400, even twice the same', async () => {
      const target = BASE_PATH + pathOf(connection)
      const signed = signatureHeaders(key, target, { method: 'POST', body: BODY })
      const headers = [
        ...Object.entries({ Host: 'h', ...signed, 'Content-Type': 'application/json' }).flat(),
        ...['Content-Length', String(BODY.length), 'Idempotency-Key', 'a', 'Idempotency-Key', 'a'],
      ]
      const answer = await call(gateway.publicOrigin, target, { method: 'POST', body: BODY, headers })
      expect(answer).toMatchObject(refused(400, 'invalid_idempotency_key'))
    })

    it('of 255 characters are accepted', async () =>
      expect((await write({ headers: { 'Idempotency-Key': 'k'.repeat(255) } })).status).toBe(200))
  })

  it('are checked in the order of the interface', async () => {
    const narrow = gateway.partner(await gateway.signingKey(connection, { scopes: ['mappings:read'] }))
    const [wrongType, noJson, noFields] = [{ headers: { 'Content-Type': 'text/plain' } }, { body: '{' }, { body: '{}' }]
    const noKey = { without: 'Idempotency-Key' }
    const steps: [string, Sent][] = [
      ['insufficient_scope', { by: narrow, to: foreign, ...wrongType, ...noKey }],
      ['unsupported_media_type', { to: foreign, ...wrongType, ...noJson, ...noKey }],
      ['invalid_request', { to: foreign, ...noJson, ...noKey }],
      ['property_forbidden', { to: foreign, ...noFields, ...noKey }],
      ['connection_disabled', { to: disabled, ...noFields, ...noKey }],
      ['invalid_request', { ...noFields, ...noKey }],
      ['idempotency_key_required', noKey],
    ]
    const found = []
    for (const [, sent] of steps) found.push(codeOf(await write(sent)))
    expect(found).toEqual(steps.map(([code]) => code))
    const put = await partner.get(pathOf(connection), { method: 'PUT', body: 'x' })
    expect(put).toMatchObject(refused(405, 'method_not_allowed'))
    expect(put.headers.allow).toBe('GET, HEAD, POST')
    expect(received).toEqual([])
  })
})
