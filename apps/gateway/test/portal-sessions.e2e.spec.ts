import { randomUUID } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { PortalBrowser, portalToken, sameOrigin } from './portal-browser.js'

const reason = { reason: 'test' }

describe('sessions of the portal', () => {
  const gateway = new GatewayUnderTest()
  let application: string
  let connection: string

  beforeAll(async () => {
    await gateway.start({ PORTAL_LINK_MINUTES: 20, PORTAL_SESSION_HOURS: 2 })
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
  })
  afterAll(() => gateway.stop())

  const browser = () => new PortalBrowser(gateway.publicOrigin)
  const signedIn = async (role = 'developer') => {
    const person = browser()
    const { id, token } = await portalToken(gateway, application, { role })
    expect((await person.signIn(token)).status).toBe(201)
    return { id, person }
  }

  it('begin with a link, once, and set a cookie that scripts cannot read', async () => {
    const person = browser()
    const { token } = await portalToken(gateway, application)
    const answer = await person.signIn(token)
    expect(answer).toMatchObject({ status: 201, json: { email: 'ada@pms.example', role: 'developer' } })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^portal=[\w-]{43}; Path=\/; Max-Age=7200; HttpOnly; SameSite=Strict$/),
    ])
    const health = await person.get('/auth/health')
    expect(health.json).toMatchObject({
      ...{ auth_method: 'portal', email: 'ada@pms.example', role: 'developer' },
      ...{ credential: null, clock_skew_seconds: null, session_expires_at: answer.json.expires_at },
    })
    expect(health.json).not.toHaveProperty('key_id')
    const again = await browser().signIn(token)
    expect([again.status, again.json.error!.code]).toEqual([401, 'invalid_token'])
  })

  it('refuse unknown, malformed, revoked and expired links with the same answer', async () => {
    const revoked = await portalToken(gateway, application)
    await gateway.ops('POST', `/portal-links/${revoked.id}/revoke`, reason)
    const expired = await portalToken(gateway, application)
    await gateway.sql('UPDATE portal_link SET expires_at = now() WHERE portal_link_id = $1', [expired.id])
    const tokens = ['x', 'A'.repeat(43), revoked.token, expired.token]
    const answers = await Promise.all(tokens.map((token) => browser().signIn(token)))
    expect(answers.map(({ status }) => status)).toEqual(tokens.map(() => 401))
    expect(new Set(answers.map(({ json }) => json.error!.message)).size).toBe(1)
  })

  it('refuse a sign-in from another site, which leaves the link usable', async () => {
    const { token } = await portalToken(gateway, application)
    const origin = gateway.publicOrigin
    const others: Record<string, string>[] = [
      {},
      { origin },
      { 'sec-fetch-site': 'cross-site', origin },
      { 'sec-fetch-site': 'same-site', origin },
      { 'sec-fetch-site': 'same-origin' },
      { 'sec-fetch-site': 'same-origin', origin: 'https://evil.example' },
    ]
    for (const headers of others) {
      const answer = await browser().signIn(token, headers)
      expect([answer.status, answer.json.error!.code]).toEqual([403, 'cross_site_request'])
    }
    expect((await browser().signIn(token)).status).toBe(201)
  })

  it('refuse a sign-in at another name of the machine, and say which address to open', async () => {
    const { token } = await portalToken(gateway, application)
    const origin = gateway.publicOrigin.replace('127.0.0.1', 'localhost')
    const { status, json } = await browser().signIn(token, sameOrigin(origin))
    expect([status, json.error!.message]).toEqual([
      403,
      expect.stringContaining(`Open the portal at ${gateway.publicOrigin}/portal`),
    ])
  })

  it('take no request of another site, no change without Origin, and no second credential', async () => {
    const { person } = await signedIn()
    const cross = await person.get('/properties', { 'sec-fetch-site': 'cross-site' })
    expect([cross.status, cross.json.error!.code]).toEqual([403, 'cross_site_request'])
    expect((await person.get('/properties', {})).status).toBe(403)
    const key = { 'idempotency-key': randomUUID() }
    const path = `/properties/${connection}/callback`
    expect((await person.send('DELETE', path, undefined, { ...key, 'sec-fetch-site': 'same-origin' })).status).toBe(403)
    const both = await person.get('/properties', { 'sec-fetch-site': 'same-origin', authorization: 'Bearer x' })
    expect([both.status, both.json.error!.code]).toEqual([401, 'invalid_signature'])
  })

  it('let viewers read but make no change', async () => {
    const { person } = await signedIn('viewer')
    gateway.feed.script = (_request, response) => response.end('{"state":"active"}')
    expect((await person.get('/properties')).status).toBe(200)
    expect((await person.get(`/production/request?property_id=${connection}`)).status).toBe(200)
    const changes: [string, string, string | undefined][] = [
      ['POST', `/properties/${connection}/mappings`, '{"mappings":[]}'],
      ['POST', '/reservations/proofs', '{}'],
      ['POST', '/production/request', '{}'],
    ]
    for (const [method, path, body] of changes) {
      const answer = await person.send(method, path, body)
      expect([answer.status, answer.json.error!.code]).toEqual([403, 'insufficient_scope'])
    }
  })

  it('reach the service with all scopes for a developer, and with the e-mail as actor', async () => {
    const { person } = await signedIn()
    let identity: Record<string, unknown> = {}
    gateway.feed.script = (request, response) => {
      const [, claims] = String(request.headers['x-internal-identity']).split('.')
      identity = JSON.parse(Buffer.from(claims!, 'base64url').toString()) as typeof identity
      response.end('{}')
    }
    await person.send('POST', `/properties/${connection}/mappings`, '{"mappings":[]}', {
      ...sameOrigin(gateway.publicOrigin),
      'idempotency-key': randomUUID(),
    })
    expect(identity.actor).toBeUndefined()
    const body = JSON.stringify({ mappings: [{ entity_type: 'room', service_id: 'r', external_id: 'x' }] })
    const key = { ...sameOrigin(gateway.publicOrigin), 'idempotency-key': randomUUID() }
    expect((await person.send('POST', `/properties/${connection}/mappings`, body, key)).status).toBe(200)
    expect(identity).toMatchObject({ actor: 'ada@pms.example', scopes: expect.arrayContaining(['mappings:write']) })
  })

  it('count in buckets of their own, neither as polls nor as evidence', async () => {
    const { person } = await signedIn()
    gateway.feed.script = (_request, response) =>
      response.writeHead(200, { 'x-internal-evidence': 'full-pull-end' }).end('{"reservations":[]}')
    const page = await person.get(`/reservations?property_id=${connection}`)
    expect(page.status).toBe(200)
    expect(page.headers['ratelimit-policy']).toContain('"reads"')
    await person.get('/properties')
    await person.get('/reservations?property_id=con_another')
    const { json } = await person.get(`/production/request?property_id=${connection}`)
    expect(json.checklist).toEqual(Array.from({ length: 8 }, () => expect.objectContaining({ state: 'open' })))
    const listed = await person.get('/properties')
    expect(listed.json.properties).toEqual([
      expect.objectContaining({ feed: expect.objectContaining({ last_polled_at: null }) }),
    ])
  })

  it('end when the person signs out, and the browser forgets the cookie', async () => {
    const { person } = await signedIn()
    const out = await person.send('DELETE', '/portal/session')
    expect([out.status, out.headers['set-cookie']![0]]).toEqual([204, expect.stringContaining('Max-Age=0')])
    const refused = await gateway.untilAnswered(() => person.get('/properties'), 401)
    expect(refused.json.error!.code).toBe('invalid_token')
    expect(refused.headers['set-cookie']![0]).toContain('portal=; ')
    await eventually(async () => {
      const query = `correlation_id=${String(out.headers['x-correlation-id'])}`
      const { json } = await gateway.ops('GET', `/requests?${query}`)
      expect(json.requests).toMatchObject([{ status: 204, auth_method: 'portal', authenticated: true }])
    })
  })

  it('end within 1 s when their link is revoked; revoking it again changes nothing', async () => {
    const { id, person } = await signedIn()
    expect((await person.get('/properties')).status).toBe(200)
    const revoked = await gateway.ops('POST', `/portal-links/${id}/revoke`, reason)
    expect(revoked.json).toMatchObject({ revoked_at: expect.any(String), session: { ended_at: expect.any(String) } })
    await gateway.untilAnswered(() => person.get('/properties'), 401)
    const again = await gateway.ops('POST', `/portal-links/${id}/revoke`, { reason: 'once more' })
    expect(again.json).toEqual(revoked.json)
    const { json } = await gateway.ops('GET', `/audit?subject=${id}`)
    expect(json.entries).toHaveLength(2)
  })

  it('end for good when the application is suspended, with links that were not used', async () => {
    const { person } = await signedIn()
    const unused = await portalToken(gateway, application)
    expect((await person.get('/properties')).status).toBe(200)
    await gateway.ops('POST', `/applications/${application}/suspend`, reason)
    await gateway.untilAnswered(() => person.get('/properties'), 401)
    const refused = await gateway.ops('POST', `/applications/${application}/portal-links`, {
      ...{ email: 'ada@pms.example', role: 'viewer', reason: 'test' },
    })
    expect([refused.status, refused.json.error!.code]).toEqual([409, 'application_not_approved'])
    await gateway.ops('POST', `/applications/${application}/approve`, reason)
    expect((await browser().signIn(unused.token)).status).toBe(401)
    expect((await person.get('/properties')).status).toBe(401)
  })

  it('end when their time is over, however busy they are', async () => {
    const { id, person } = await signedIn()
    await gateway.sql('UPDATE portal_link SET session_expires_at = now() WHERE portal_link_id = $1', [id])
    expect((await person.get('/properties')).status).toBe(401)
  })

  it('begin and last as long as is configured', async () => {
    const { id } = await signedIn()
    const { json } = await gateway.ops('GET', `/applications/${application}/portal-links?limit=1`)
    const [link] = json.portal_links as [Record<string, string> & { session: Record<string, string> }]
    expect(link.portal_link_id).toBe(id)
    const minutes = (from: string, to: string) => (Date.parse(to) - Date.parse(from)) / 60_000
    expect(minutes(link.created_at!, link.expires_at!)).toBeCloseTo(20, 1)
    expect(minutes(link.session.started_at!, link.session.expires_at!)).toBe(120)
  })

  it('are listed with their links, newest first, without secrets', async () => {
    const { id, person } = await signedIn('viewer')
    await person.get('/properties')
    const { json, text } = await gateway.ops('GET', `/applications/${application}/portal-links?limit=2`)
    expect(json.portal_links).toHaveLength(2)
    expect((json.portal_links as object[])[0]).toEqual({
      ...{ portal_link_id: id, email: 'ada@pms.example', role: 'viewer', revoked_at: null },
      ...{ created_at: expect.any(String), expires_at: expect.any(String), used_at: expect.any(String) },
      session: {
        ...{ started_at: expect.any(String), last_seen_at: expect.any(String), expires_at: expect.any(String) },
        ended_at: null,
      },
    })
    expect(text).not.toMatch(/url|token|hash/)
  })
})
