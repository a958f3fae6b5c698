import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { basic, OAuthPartner } from './oauth-client.js'
import { call, type Partner } from './partner.js'

const LIMIT = 20

let gateway: GatewayUnderTest
let partner: Partner
let reader: OAuthPartner
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start({ FAILED_AUTH_PER_MINUTE: LIMIT })
  const connectionId = await gateway.pilotConnection(await gateway.approvedApplication())
  partner = gateway.partner(await gateway.signingKey(connectionId, { scopes: ['events:ack'] }))
  reader = await OAuthPartner.issued(gateway, connectionId)
  await gateway.untilServed(() => partner.get('/properties'))
}, 60_000)
afterAll(() => gateway.stop(), 30_000)

const page = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  call(gateway.publicOrigin, path, { method, headers })
const authorization = () => basic(reader.client.client_id, reader.client.client_secret)
const read = (path: string, headers: Record<string, string> = {}) =>
  page(path, { authorization: authorization(), ...headers })

describe('GET /openapi.json', () => {
  it('answers any valid credential with the description, the one body without schema_version', async () => {
    const { status, headers, json } = await partner.get('/openapi.json')
    expect(status).toBe(200)
    expect(json).toMatchObject({ openapi: '3.0.3', info: { version: '1.0.0' }, servers: [{ url: BASE_PATH }] })
    expect(json).not.toHaveProperty('schema_version')
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'private, no-store',
      'x-correlation-id': expect.any(String),
      'x-ratelimit-limit': '1200',
    })
    const token = await reader.token()
    expect((await reader.get('/openapi.json', token)).text.length).toBeGreaterThan(50_000)
  })

  it('answers 304 to a client that has it, and HEAD without a body', async () => {
    const { headers } = await partner.get('/openapi.json')
    const again = await partner.get('/openapi.json', { headers: { 'If-None-Match': headers.etag! } })
    expect(again).toMatchObject({
      status: 304,
      text: '',
      headers: { etag: headers.etag, ratelimit: expect.any(String) },
    })
    const head = await partner.get('/openapi.json', { method: 'HEAD' })
    expect(head).toMatchObject({ status: 200, text: '', headers: { 'content-length': headers['content-length'] } })
  })

  it('refuses all other callers', async () => {
    const { status, json } = await page(`${BASE_PATH}/openapi.json`)
    expect([status, json.error?.code]).toEqual([401, 'invalid_signature'])
  })
})

describe('the pages at /docs', () => {
  it.each(['/docs', '/docs/', '/docs/quick-start', '/docs/errors', '/docs/reference'])('show %s', async (path) => {
    const { status, headers, text } = await read(path)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'/)
    expect(headers).toMatchObject({ 'cache-control': 'private, no-store', 'x-ratelimit-limit': '1200' })
    expect(text).toContain('<title>')
  })

  it.each([
    ['/docs/style.css', 'text/css; charset=utf-8'],
    ['/docs/redoc.standalone.js', 'text/javascript; charset=utf-8'],
    ['/docs/openapi.json', 'application/json; charset=utf-8'],
  ])('load %s', async (path, type) => {
    const { status, headers } = await read(path)
    expect([status, headers['content-type']]).toEqual([200, type])
  })

  it('load nothing from other origins', async () => {
    for (const path of ['/docs', '/docs/quick-start', '/docs/reference']) {
      const { text } = await read(path)
      const sources = [...text.matchAll(/(?:src|<link [^>]*href)="([^"]*)"/g)].map(([, source]) => source)
      for (const source of sources) expect(source).toMatch(/^(\/docs\/|data:,$)/)
    }
    expect((await read('/docs/redoc.standalone.js')).text).not.toContain('cdn.redoc')
  })

  it('are answered with 304 to a client that has them', async () => {
    const { headers } = await read('/docs')
    expect(await read('/docs', { 'if-none-match': headers.etag! })).toMatchObject({ status: 304, text: '' })
  })

  it.each(['/docs/nothing', '/docs//quick-start', '/docs/../docs', '/docs/%2e%2e/openapi.json', '/docs/quick%2Dstart'])(
    'are not found under %s',
    async (path) => {
      const { status, json } = await read(path)
      expect([status, json.error?.code]).toEqual([404, 'not_found'])
    },
  )

  it('are read-only', async () => {
    const { status, headers } = await page('/docs', { authorization: authorization() }, 'POST')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
  })

  it('are not on the private listener, and their neighbours are not public', async () => {
    expect((await call(gateway.privateOrigin, '/docs', { headers: { authorization: authorization() } })).status).toBe(
      404,
    )
    for (const path of ['/docsx', '/Docs', '/doc']) expect((await read(path)).status).toBe(401)
  })
})

describe('/docs/vectors.json', () => {
  const PATH = '/docs/vectors.json'

  it('needs no credentials', async () => {
    const { status, headers, json } = await page(PATH)
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8'])
    expect(json).toEqual({ requests: expect.any(Array), callbacks: expect.any(Array) })
    expect(await page(PATH, { 'if-none-match': headers.etag! })).toMatchObject({ status: 304, text: '' })
    expect(await page(PATH, {}, 'HEAD')).toMatchObject({ status: 200, text: '' })
  })

  it('is read-only and has no other names', async () => {
    const { status, headers } = await page(PATH, {}, 'DELETE')
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    for (const path of ['/docs//vectors.json', '/docs/vectors', '/docs/Vectors.json', '/docs/openapi.json'])
      expect((await page(path)).status).toBe(401)
  })
})

describe('strangers', () => {
  it('must authenticate; failures count as failed authentications, a valid client always passes', async () => {
    const refused = await page('/docs')
    expect([refused.status, refused.json.error?.code]).toEqual([401, 'invalid_client'])
    expect(refused.headers['www-authenticate']).toMatch(/^Basic realm=/)
    const wrong = { authorization: basic(reader.client.client_id, 'wrong') }
    const answers = []
    for (let count = 0; count <= LIMIT; count++) answers.push((await page('/docs', wrong)).status)
    expect(answers.at(-1)).toBe(429)
    expect((await read('/docs')).status).toBe(200)
    const signed = await partner.send('/docs')
    expect([401, 429]).toContain(signed.status)
  })
})
