import http from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { FRESH_HEADER, NOTHING_NEW_HEADER, ONLY_NEWS } from '@connectivity/contracts/waiting'
import { Health } from '@connectivity/service-kit/health'
import { eventually } from '@connectivity/testing/eventually'
import { ChangeStreams } from '../src/forwarding/change-streams.service.js'
import { requestsWaiting, waitsEnded } from '../src/forwarding/waiting-metrics.js'
import { Changes } from '../src/live/changes.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { PortalBrowser, portalToken } from './portal-browser.js'
import { type Answer, type Partner, signatureHeaders } from './partner.js'

const reason = { reason: 'test' }

describe('a request that waits for a change', () => {
  const gateway = new GatewayUnderTest()
  const { feed } = gateway
  let application: string
  let connection: string
  let partner: Partner
  let credentialId: string
  /** Text of the page with news; null while there is none. */
  let news: string | null
  /** Ids of changes that the gateway has received, from its feed and from its database. */
  const heard = new Set<string | null>()

  beforeAll(async () => {
    await gateway.start()
    gateway.app.get(ChangeStreams, { strict: false }).onChange((_service, id) => heard.add(id))
    gateway.app.get(Changes, { strict: false }).onChange((_kind, id) => heard.add(id))
    application = await gateway.approvedApplication()
  })
  afterAll(() => gateway.stop())
  beforeEach(async () => {
    connection = await gateway.pilotConnection(application, `prop_${Math.random()}`)
    const { credential_id, ...key } = await gateway.signingKey(connection)
    credentialId = credential_id
    partner = gateway.partner(key)
    news = null
    feed.script = (_request, response) => {
      const headers = { 'service-checkpoint': '2026-11-20T10:00:00.000Z' }
      if (news === null) response.writeHead(304, { ...headers, [NOTHING_NEW_HEADER]: '1' }).end()
      else response.writeHead(200, headers).end(news)
    }
    await untilQuiet(key.key_id)
  })

  /** Waits for earlier changes, of which each would make a waiting request look once more. */
  const untilQuiet = (lastChanged: string) => {
    const mark = `con_mark_${Math.random()}`
    return eventually(() => {
      feed.changed(mark)
      expect([...heard]).toEqual(expect.arrayContaining([mark, lastChanged]))
    })
  }

  const page = (query = '&wait=20') => `/reservations?property_id=${connection}${query}`
  const waiting = async () => (await requestsWaiting.get()).values.reduce((sum, { value }) => sum + value, 0)
  const ended = async (by: string) => (await waitsEnded.get()).values.find(({ labels }) => labels.by === by)?.value ?? 0
  const untilWaiting = (count: number) => eventually(async () => expect(await waiting()).toBe(count))
  /** Looks of the waiting requests of this connection. */
  const looks = () => feed.requests.filter(({ url }) => url!.includes(connection))
  /** Begins a wait; resolves when it has looked once and found nothing. */
  const begun = async (query?: string, get: (path: string) => Promise<Answer> = (path) => partner.get(path)) => {
    const answer = get(page(query))
    await eventually(() => expect(looks()).toHaveLength(1))
    await untilWaiting(1)
    return { answer }
  }
  const move = (to: string) => gateway.ops('POST', `/connections/${connection}/transitions`, { to, ...reason })
  /** A credential of the connection that ends in two seconds. */
  const endsSoon = () => ({ expires_at: new Date(Date.now() + 2_000).toISOString() })
  const publish = (text = '{"page":1}') => {
    news = text
    feed.changed(`con_other ${connection}`)
  }

  it('is answered by the next change, with the headers of its beginning', async () => {
    const { answer } = await begun()
    publish()
    const { status, json, headers } = await answer
    expect({ status, json }).toEqual({ status: 200, json: { page: 1 } })
    expect(headers['x-ratelimit-remaining'] ?? headers['ratelimit-remaining']).toBeDefined()
    expect(headers[NOTHING_NEW_HEADER]).toBeUndefined()
    expect(headers['preference-applied']).toBeUndefined()
    expect(looks().map((look) => look.headers[FRESH_HEADER])).toEqual([ONLY_NEWS, ONLY_NEWS])
    await untilWaiting(0)
  })

  it('is answered at once when there is news', async () => {
    news = '{"page":2}'
    expect((await partner.get(page())).json).toEqual({ page: 2 })
    expect(looks()).toHaveLength(1)
  })

  it('loses no change that comes during its look', async () => {
    feed.script = (_request, response) => {
      const found = news
      publish()
      // The look has found nothing; the notification overtakes its answer.
      setTimeout(() => {
        if (found === null) response.writeHead(304, { [NOTHING_NEW_HEADER]: '1' }).end()
        else response.end(found)
      }, 50)
    }
    expect((await partner.get(page())).json).toEqual({ page: 1 })
    expect(looks()).toHaveLength(2)
  })

  it('goes on waiting after a change that leaves its answer as it was', async () => {
    const { answer } = await begun()
    feed.changed(connection)
    await eventually(() => expect(looks()).toHaveLength(2))
    await untilWaiting(1)
    publish()
    expect((await answer).status).toBe(200)
  })

  it('looks again after the stream of changes was lost', async () => {
    const { answer } = await begun()
    news = '{"page":3}'
    feed.breakStreams()
    expect((await answer).json).toEqual({ page: 3 })
  })

  it('gets the answer without news when its time is over', async () => {
    const startedAt = performance.now()
    const answer = await partner.get(page('&wait=1'))
    expect(performance.now() - startedAt).toBeGreaterThan(950)
    expect(answer).toMatchObject({ status: 304, headers: { 'service-checkpoint': '2026-11-20T10:00:00.000Z' } })
    expect(looks().map((look) => look.headers[FRESH_HEADER])).toEqual([ONLY_NEWS, '1'])
  })

  it('counts no lost change when its last look finds an empty page', async () => {
    const before = await ended('backstop')
    feed.script = (_request, response) => response.writeHead(200, { [NOTHING_NEW_HEADER]: '1' }).end('{"empty":true}')
    expect((await partner.get(page('&wait=1'))).json).toEqual({ empty: true })
    await untilWaiting(0)
    expect(await ended('backstop')).toBe(before)
  })

  it('counts a change that only its last look finds', async () => {
    const before = await ended('backstop')
    const { answer } = await begun('&wait=3')
    news = '{"page":4}'
    expect((await answer).json).toEqual({ page: 4 })
    await eventually(async () => expect(await ended('backstop')).toBe(before + 1))
    await untilWaiting(0)
  })

  it('may ask by preference, and the parameter wins', async () => {
    const preferred = await partner.get(page(''), { headers: { Prefer: 'respond-async, wait=1' } })
    expect(preferred).toMatchObject({ status: 304, headers: { 'preference-applied': 'wait=1' } })
    const none = await partner.get(page('&wait=0'), { headers: { Prefer: 'wait=20' } })
    expect(none.status).toBe(304)
    expect(none.headers['preference-applied']).toBeUndefined()
    const ignored = await partner.get(page(''), { headers: { Prefer: 'wait=26' } })
    expect(ignored.headers['preference-applied']).toBeUndefined()
    news = '{"page":5}'
    const atOnce = await partner.get(page(''), { headers: { Prefer: 'wait=20' } })
    expect(atOnce.headers['preference-applied']).toBeUndefined()
  })

  it('is answered at once when two of its connection wait already', async () => {
    const first = [partner.get(page()), partner.get(page())]
    await untilWaiting(2)
    expect((await partner.get(page())).status).toBe(304)
    await eventually(() => expect(looks()).toHaveLength(3))
    publish()
    expect((await Promise.all(first)).map(({ status }) => status)).toEqual([200, 200])
  })

  it('is answered at once as HEAD', async () => {
    const { hostname, port } = new URL(gateway.publicOrigin)
    const path = BASE_PATH + page()
    const headers = signatureHeaders(partner.key, path, { method: 'HEAD' })
    const { statusCode } = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const sent = http.request({ hostname, port, path, method: 'HEAD', headers, agent: false }, resolve)
      sent.on('error', reject).end()
    })
    expect(statusCode).toBe(304)
  })

  it('leaves its place to another request when its page begins', async () => {
    const slow = [partner.get(page()), partner.get(page())]
    await untilWaiting(2)
    await eventually(() => expect(looks()).toHaveLength(2))
    const unfinished: http.ServerResponse[] = []
    const { script } = feed
    feed.script = (_request, response) => {
      response.writeHead(200).write('{"page":')
      unfinished.push(response)
    }
    feed.changed(connection)
    await eventually(() => expect(unfinished).toHaveLength(2))
    feed.script = script
    const third = partner.get(page())
    await untilWaiting(1)
    for (const response of unfinished) response.end('6}')
    expect((await Promise.all(slow)).map(({ json }) => json)).toEqual([{ page: 6 }, { page: 6 }])
    publish()
    expect((await third).json).toEqual({ page: 1 })
  })

  it('leaves its place when its time is over, whatever its last look finds', async () => {
    const { answer } = await begun('&wait=3')
    news = '{"page":7}'
    await answer
    news = null
    const next = [partner.get(page()), partner.get(page())]
    await untilWaiting(2)
    publish()
    expect((await Promise.all(next)).map(({ status }) => status)).toEqual([200, 200])
  })

  it.each([
    ['its connection is disabled', 403, () => move('disabled')],
    ['its connection is closed', 403, () => move('closed')],
    ['its credential is revoked', 401, () => gateway.ops('POST', `/credentials/${credentialId}/revoke`, reason)],
  ])('is refused within a second when %s', async (_what, status, end) => {
    const { answer } = await begun()
    expect((await end()).status).toBeLessThan(300)
    const endedAt = performance.now()
    expect((await answer).status).toBe(status)
    // 1 s, plus 1 s for a machine busy with tests.
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it('is refused within a second when the client of its token is revoked', async () => {
    const client = await OAuthPartner.issued(gateway, connection)
    const token = await client.token()
    const { answer } = await begun('&wait=20', (path) => client.get(path, token))
    await gateway.ops('POST', `/credentials/${client.client.credential_id}/revoke`, reason)
    const endedAt = performance.now()
    expect(await answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it('is refused within a second when the link of its portal session is revoked', async () => {
    const person = new PortalBrowser(gateway.publicOrigin)
    const { id, token } = await portalToken(gateway, application)
    await person.signIn(token)
    const { answer } = await begun('&wait=20', (path) => person.get(path))
    await gateway.ops('POST', `/portal-links/${id}/revoke`, reason)
    const endedAt = performance.now()
    const refused = await answer
    expect(performance.now() - endedAt).toBeLessThan(2_000)
    expect(refused).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
    expect(refused.headers['set-cookie']![0]).toContain('Max-Age=0')
  })

  it('is refused within a second when its person signs out', async () => {
    const person = new PortalBrowser(gateway.publicOrigin)
    await person.signIn((await portalToken(gateway, application)).token)
    const { answer } = await begun('&wait=20', (path) => person.get(path))
    expect((await person.send('DELETE', '/portal/session')).status).toBe(204)
    const endedAt = performance.now()
    expect((await answer).status).toBe(401)
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it('is refused at its end when its key has expired meanwhile', async () => {
    const expiring = gateway.partner(await gateway.signingKey(connection, endsSoon()))
    const { answer } = await begun('&wait=3', (path) => expiring.get(path))
    expect(await answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_signature' } } })
    expect(looks()).toHaveLength(1)
  })

  it('shows no change that comes when its token has expired', async () => {
    const client = await OAuthPartner.issued(gateway, connection, endsSoon())
    const token = await client.token()
    const { answer } = await begun('&wait=20', (path) => client.get(path, token))
    await delay(2_000)
    publish()
    expect(await answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
    expect(looks()).toHaveLength(1)
  })

  it('is refused when its application is suspended', async () => {
    const { answer } = await begun()
    await gateway.ops('POST', `/applications/${application}/suspend`, reason)
    expect((await answer).status).toBe(401)
    await gateway.ops('POST', `/applications/${application}/approve`, reason)
  })

  it('frees its place when its client leaves', async () => {
    const { hostname, port } = new URL(gateway.publicOrigin)
    const path = BASE_PATH + page()
    const request = http.get({ hostname, port, path, headers: signatureHeaders(partner.key, path), agent: false })
    request.on('error', () => undefined)
    await untilWaiting(1)
    await eventually(() => expect(looks()).toHaveLength(1))
    request.destroy()
    await untilWaiting(0)
  })

  // Stops the gateway, so it comes last.
  it('is answered at once when the gateway stops', async () => {
    const { answer } = await begun()
    gateway.app.get(Health, { strict: false }).markStopping()
    expect((await answer).status).toBe(304)
    expect(looks()).toHaveLength(1)
  })
})
