import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { LoggedRequest } from '@connectivity/contracts/request-log'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call, type SigningKey } from './partner.js'

const LIMIT = 60
const PAGE = { accept: 'text/html,application/xhtml+xml' }

let gateway: GatewayUnderTest
let applicationId: string
let connectionId: string
let key: SigningKey & { credential_id: string }
let reader: OAuthPartner
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start({ FAILED_AUTH_PER_MINUTE: LIMIT })
  applicationId = await gateway.approvedApplication()
  connectionId = await gateway.pilotConnection(applicationId)
  key = await gateway.signingKey(connectionId, { scopes: ['events:ack'] })
  reader = await OAuthPartner.issued(gateway, connectionId)
  await gateway.untilServed(() => gateway.partner(key).get('/properties'))
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

  it('is in the request log when it fails and names an existing key or client', async () => {
    const { client_id } = reader.client
    const known = [key.key_id, client_id]
    for (const id of [...known, 'key_unknown']) expect((await signIn({ id, secret: 'wrong' })).status).toBe(401)
    expect((await signIn({ id: key.key_id, secret: key.signing_secret })).status).toBe(303)
    const entries = await eventually(async () => {
      const requests = (await gateway.ops('GET', '/requests?path=/docs/session')).json.requests as LoggedRequest[]
      expect(new Set(requests.map(({ credential_id }) => credential_id))).toEqual(new Set(known))
      return requests
    })
    for (const entry of entries) {
      const refused = { method: 'POST', status: 401, code: 'invalid_client', authenticated: false }
      expect(entry).toMatchObject({ ...refused, application_id: applicationId })
    }
    const { text } = await call(gateway.privateOrigin, '/metrics')
    const labels = 'route="/docs",method="POST",status="401",code="invalid_client"'
    expect(text).toContain(`connectivity_http_requests_total{${labels}}`)
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
