import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call, type Partner, type SigningKey } from './partner.js'

const LIMIT = 60
const PAGE = { accept: 'text/html,application/xhtml+xml' }

let gateway: GatewayUnderTest
let applicationId: string
let connectionId: string
let key: SigningKey & { credential_id: string }
let partner: Partner
let reader: OAuthPartner
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start({ FAILED_AUTH_PER_MINUTE: LIMIT })
  applicationId = await gateway.approvedApplication()
  connectionId = await gateway.pilotConnection(applicationId)
  key = await gateway.signingKey(connectionId, { scopes: ['events:ack'] })
  partner = gateway.partner(key)
  reader = await OAuthPartner.issued(gateway, connectionId)
  await gateway.untilServed(() => partner.get('/properties'))
})
afterAll(() => gateway.stop())

const get = (path: string, headers: Record<string, string> = {}) => call(gateway.publicOrigin, path, { headers })

const signIn = (fields: Record<string, string>, headers: Record<string, string> = {}): Promise<Answer> =>
  call(gateway.publicOrigin, '/docs/session', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

/** The cookie of a session, as a browser sends it back. */
async function session(id: string, secret: string): Promise<{ cookie: string }> {
  const { headers } = await signIn({ id, secret })
  return { cookie: headers['set-cookie']![0]!.split(';')[0]! }
}

const ofKey = ({ key_id, signing_secret }: SigningKey) => session(key_id, signing_secret)

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

describe('the reference', () => {
  const PROTECTED = ['/docs/reference', '/docs/reference/', '/docs/reference/events', '/docs/openapi.json']

  it.each(PROTECTED)('needs a session: %s', async (path) => {
    const program = await get(path)
    expect([program.status, program.json.error?.code]).toEqual([401, 'invalid_token'])
    expect(program.headers['www-authenticate']).toBeUndefined()
    const browser = await get(path, PAGE)
    expect(browser).toMatchObject({ status: 303, headers: { location: `/docs/sign-in?next=${path}` } })
    const basic = { authorization: `Basic ${btoa(`${reader.client.client_id}:${reader.client.client_secret}`)}` }
    expect((await get(path, basic)).status).toBe(401)
  })

  it.each(PROTECTED)('is shown to those who signed in with a key or a client: %s', async (path) => {
    const { client_id, client_secret } = reader.client
    for (const cookie of [await ofKey(key), await session(client_id, client_secret)]) {
      const { status, headers } = await get(path, { ...cookie, ...PAGE })
      expect(status).toBe(200)
      expect(headers).toMatchObject({ 'x-ratelimit-limit': '1200', vary: expect.stringContaining('Cookie') })
    }
  })

  it('is neither in the pages nor in the search of strangers', async () => {
    const cookie = await ofKey(key)
    const { text } = await get('/docs/reference/events', { ...cookie, ...PAGE })
    const files = [...text.matchAll(/"(\/docs\/assets\/[^"]*reference[^"]*\.js)"/g)].map(([, file]) => file!)
    expect(files.length).toBeGreaterThan(0)
    for (const file of files) {
      expect((await get(file, cookie)).status).toBe(200)
      expect((await get(file)).status).toBe(401)
    }
  })
})

describe('a session', () => {
  it('begins with a cookie for the documentation alone, and leads to the page that was asked for', async () => {
    const { key_id: id, signing_secret: secret } = key
    const { status, headers } = await signIn({ id, secret, next: '/docs/reference/events' })
    expect([status, headers.location]).toEqual([303, '/docs/reference/events'])
    const [cookie, ...more] = headers['set-cookie']!
    expect(more).toEqual([])
    expect(cookie).toMatch(/^docs_session=cds_[\w-]{49}; Path=\/docs; Max-Age=28800; HttpOnly; SameSite=Strict$/)
    const far = await signIn({ id, secret }, { host: 'partners.example.com' })
    expect(far.headers['set-cookie']![0]).toMatch(/; Secure$/)
  })

  it.each([
    'https://evil.example/',
    '//evil.example',
    '/api',
    '/docs/../api',
    '/docs//evil.example',
    '/docs/sign-in',
    '',
  ])('leads nowhere but to pages: %s', async (next) => {
    const { headers } = await signIn({ id: key.key_id, secret: key.signing_secret, next })
    expect(headers.location).toBe('/docs/reference')
  })

  it('does not begin with a wrong secret: the form comes again, with what was asked for', async () => {
    const wrong = { id: `${key.key_id}"><script>`, secret: 'wrong', next: '/docs/reference/events' }
    for (const fields of [wrong, { ...wrong, id: key.key_id }, { ...wrong, id: reader.client.client_id }]) {
      const { status, headers, text } = await signIn(fields)
      expect(status).toBe(401)
      expect(headers['content-type']).toBe('text/html; charset=utf-8')
      expect(headers['www-authenticate']).toBeUndefined()
      expect(headers['set-cookie']).toBeUndefined()
      expect(text).toContain('role="alert"')
      expect(text).toContain('value="/docs/reference/events"')
      expect(text).not.toContain('"><script>')
      expect(text).not.toContain('@alert@')
    }
  })

  it.each([
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('does not begin for other sites: %p', async (headers) => {
    const { key_id: id, signing_secret: secret } = key
    const { status, json } = await signIn({ id, secret }, headers as unknown as Record<string, string>)
    expect([status, json.error?.code]).toEqual([403, 'cross_site_request'])
    const own = { 'sec-fetch-site': 'same-origin', origin: gateway.publicOrigin }
    expect((await signIn({ id, secret }, own)).status).toBe(303)
  })

  it('is begun by POST only', async () => {
    expect(await get('/docs/session')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
  })

  it('does not open the partner interface, and a token does not open the documentation', async () => {
    const { cookie } = await ofKey(key)
    const authorization = `Bearer ${cookie.split('=')[1]!}`
    const { status, json } = await get(`${BASE_PATH}/auth/health`, { authorization })
    expect([status, json.error?.code]).toEqual([401, 'invalid_token'])
    expect((await get(`${BASE_PATH}/auth/health`, { cookie })).status).toBe(401)
    const token = await reader.token()
    expect((await get('/docs/openapi.json', { cookie: `docs_session=${token}` })).status).toBe(401)
  })

  it('holds at every gateway, and ends at every gateway with its secret', async () => {
    const own = await gateway.signingKey(connectionId)
    await gateway.untilServed(() => gateway.partner(own).get('/properties'))
    const cookie = await ofKey(own)
    const open = () => get('/docs/openapi.json', cookie)
    expect((await open()).status).toBe(200)
    await gateway.ops('POST', `/credentials/${own.credential_id}/rotate`, { overlap_seconds: 0, reason: 'test' })
    await gateway.untilAnswered(open, 401)
  })

  it('ends with its credential; guides stay readable, and the browser forgets it', async () => {
    const own = await gateway.signingKey(connectionId)
    await gateway.untilServed(() => gateway.partner(own).get('/properties'))
    const cookie = await ofKey(own)
    expect((await get('/docs/reference', cookie)).status).toBe(200)
    await gateway.ops('POST', `/credentials/${own.credential_id}/revoke`, { reason: 'test' })
    await gateway.untilAnswered(() => get('/docs/reference', cookie), 401)
    const guide = await get('/docs/quick-start', { ...cookie, ...PAGE })
    expect(guide.status).toBe(200)
    expect(guide.headers['set-cookie']![0]).toMatch(/^docs_session=; Path=\/docs; Max-Age=0;/)
  })

  it('ends for good when its application is suspended', async () => {
    const other = await gateway.approvedApplication()
    const own = await gateway.signingKey(await gateway.pilotConnection(other, 'prop_2'))
    await gateway.untilServed(() => gateway.partner(own).get('/properties'))
    const cookie = await ofKey(own)
    expect((await get('/docs/openapi.json', cookie)).status).toBe(200)
    await gateway.ops('POST', `/applications/${other}/suspend`, { reason: 'test' })
    await gateway.untilAnswered(() => get('/docs/openapi.json', cookie), 401)
    await gateway.ops('POST', `/applications/${other}/approve`, { reason: 'test' })
    await gateway.untilServed(() => gateway.partner(own).get('/properties'))
    expect((await get('/docs/openapi.json', cookie)).status).toBe(401)
  })
})

// Runs last: afterwards this address is over its limit.
describe('failed sign-ins', () => {
  it('count as failed authentications; sessions go on', async () => {
    const cookie = await ofKey(key)
    expect((await get('/docs/openapi.json', cookie)).status).toBe(200)
    const answers = []
    for (let count = 0; count <= LIMIT; count++) answers.push((await signIn({ id: key.key_id, secret: 'no' })).status)
    expect(answers).toContain(429)
    const refused = await get(`${BASE_PATH}/properties`)
    expect(refused.status).toBe(429)
    expect((await get('/docs/openapi.json', cookie)).status).toBe(200)
    expect((await get('/docs')).status).toBe(200)
  })
})
