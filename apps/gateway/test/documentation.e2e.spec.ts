import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { call, type Partner } from './partner.js'

const PAGE = { accept: 'text/html,application/xhtml+xml' }

let gateway: GatewayUnderTest
let partner: Partner
let reader: OAuthPartner
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start()
  const connectionId = await gateway.pilotConnection(await gateway.approvedApplication())
  partner = gateway.partner(await gateway.signingKey(connectionId, { scopes: ['events:ack'] }))
  reader = await OAuthPartner.issued(gateway, connectionId)
  await gateway.untilServed(() => partner.get('/properties'))
})
afterAll(() => gateway.stop())

const get = (path: string, headers: Record<string, string> = {}) => call(gateway.publicOrigin, path, { headers })

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
    const { status, json } = await get(`${BASE_PATH}/openapi.json`)
    expect([status, json.error?.code]).toEqual([401, 'invalid_signature'])
  })
})

describe('the bare address', () => {
  it('leads browsers to the documentation, and refuses programs as before', async () => {
    expect(await get('/', PAGE)).toMatchObject({ status: 303, headers: { location: '/docs' } })
    expect((await get('/')).status).toBe(401)
    expect((await get('/api', PAGE)).status).toBe(401)
    expect((await call(gateway.publicOrigin, '/', { method: 'POST', headers: PAGE })).status).toBe(401)
  })
})

describe('the guides', () => {
  it.each(['/docs', '/docs/', '/docs/quick-start', '/docs/errors', '/docs/sign-in'])('are public: %s', async (path) => {
    const { status, headers, text } = await get(path, PAGE)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toMatch(/^default-src 'self';/)
    expect(headers['content-security-policy']).not.toMatch(/unsafe|https?:|\*/)
    expect(text).toContain('<title>')
  })

  it.each([
    ['/docs/llms.txt', 'text/plain; charset=utf-8', '# Partner connectivity'],
    ['/docs/quick-start.md', 'text/markdown; charset=utf-8', '# Quick start'],
    ['/docs/samples/pull-client/pull-client.mjs', 'text/plain; charset=utf-8', 'import '],
    ['/docs/vectors.json', 'application/json; charset=utf-8', '"canonical"'],
  ])('come with %s', async (path, type, content) => {
    const { status, headers, text } = await get(path)
    expect([status, headers['content-type']]).toEqual([200, type])
    expect(text).toContain(content)
    expect(await get(path, { 'if-none-match': headers.etag! })).toMatchObject({ status: 304, text: '' })
    expect(await call(gateway.publicOrigin, path, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it.each([
    ['/docs', / href="([^"#]+)[^"]*"/g],
    ['/docs/', / href="([^"#]+)[^"]*"/g],
    ['/docs/llms.txt', /\]\(([^)#]+)[^)]*\)/g],
  ])('are linked from %s by addresses that resolve there', async (path, links) => {
    const { text } = await get(path, PAGE)
    const found = [...text.matchAll(links)].map(([, link]) => new URL(link!, gateway.publicOrigin + path))
    const own = found.filter(({ origin }) => origin === gateway.publicOrigin).map(({ pathname }) => pathname)
    expect(own.length).toBeGreaterThan(20)
    for (const target of new Set(own)) {
      const { status, headers } = await get(target, PAGE)
      const needsSession = headers.location === `/docs/sign-in?next=${target}`
      expect([target, status]).toEqual([target, needsSession ? 303 : 200])
    }
  })

  it('hold no scripts and no styles of their own, and load nothing from other origins', async () => {
    for (const path of ['/docs', '/docs/quick-start', '/docs/sign-in']) {
      const { text } = await get(path)
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style| style="| on[a-z]+="/)
      const sources = [...text.matchAll(/(?:\ssrc|<link[^>]* href)="([^"]*)"/g)].map(([, source]) => source)
      expect(sources.length).toBeGreaterThan(0)
      for (const source of sources) expect(source).toMatch(/^(\/docs\/|data:,$)/)
    }
  })

  it('are compressed for clients that accept it, each form with its own tag', async () => {
    const text = (await get('/docs/errors')).text
    const found = await fetch(`${gateway.publicOrigin}/docs/errors`, {
      headers: { 'accept-encoding': 'gzip;q=0.5, br' },
    })
    expect(found.headers.get('content-encoding')).toBe('br')
    expect(await found.text()).toBe(text)
    const refused = await get('/docs/errors', { 'accept-encoding': 'br;q=0, identity' })
    expect(refused.headers['content-encoding']).toBeUndefined()
    expect(refused.headers.etag).not.toBe(found.headers.get('etag'))
    expect(refused.headers.vary).toContain('Accept-Encoding')
  })

  it('let clients keep the files of a build for a year, and revalidate pages each time', async () => {
    const { text, headers } = await get('/docs')
    expect(headers['cache-control']).toBe('private, no-cache')
    const script = /<script type="module" src="([^"]+)"/.exec(text)![1]!
    expect((await get(script)).headers['cache-control']).toBe('private, max-age=31536000, immutable')
  })

  it.each(['/docs/nothing', '/docs//quick-start', '/docs/../docs', '/docs/%2e%2e/openapi.json', '/docs/quick%2Dstart'])(
    'are not found under %s: browsers get a page, programs the error',
    async (path) => {
      const { status, json } = await get(path)
      expect([status, json.error?.code]).toEqual([404, 'not_found'])
      const page = await get(path, PAGE)
      expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8'])
    },
  )

  it('are read-only', async () => {
    for (const path of ['/docs', '/docs/vectors.json']) {
      const { status, headers } = await call(gateway.publicOrigin, path, { method: 'POST' })
      expect([status, headers.allow]).toEqual([405, 'GET, HEAD'])
    }
  })

  it('are not on the private listener, and their neighbours are not public', async () => {
    expect((await call(gateway.privateOrigin, '/docs')).status).toBe(404)
    for (const path of ['/docsx', '/Docs', '/doc']) expect((await get(path)).status).toBe(401)
  })
})
