import { randomBytes } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call, type Partner } from './partner.js'

const LIMIT_HEADERS = [
  'ratelimit-policy',
  'ratelimit',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
] as const

const saidBy = ({ headers }: Answer) => LIMIT_HEADERS.map((name) => headers[name])
const withStatus = (answers: readonly Answer[], status: number) => answers.filter((answer) => answer.status === status)
/** An address whose failures no other test causes. */
const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

describe('rate limits', () => {
  const gateway = new GatewayUnderTest()
  let redisPath: NetworkPath
  let application: string
  let connection: string
  let partner: Partner

  beforeAll(async () => {
    const { path: proxy, url } = await NetworkPath.before(process.env.REDIS_URL!)
    redisPath = proxy
    await gateway.start({ REDIS_URL: url, TRUSTED_PROXIES: ['127.0.0.1/32'], FAILED_AUTH_PER_MINUTE: 5 })
  })
  afterAll(async () => {
    await gateway.stop()
    redisPath.close()
  })
  beforeEach(async () => {
    gateway.feed.script = (_request, response) => response.end('{}')
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
    partner = gateway.partner(await gateway.signingKey(connection))
  })

  const setLimits = (limits: object) =>
    gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
  const poll = (by = partner, of = connection) => by.get(`/reservations?property_id=${of}`)
  const atOnce = (calls: number, ask: () => Promise<Answer>) => Promise.all(Array.from({ length: calls }, () => ask()))

  it('are reported in every authenticated answer', async () => {
    expect(saidBy(await poll())).toEqual(['"feed";q=600;w=60', '"feed";r=59;t=1', '600', '59', '1'])
    gateway.feed.script = (_request, response) => response.writeHead(304).end()
    const answers = [
      [await poll(), 304],
      [await partner.get('/properties'), 200],
      [await partner.get('/properties', { method: 'HEAD' }), 200],
      [await partner.get('/nowhere'), 404],
      [await partner.get('/properties', { method: 'PUT' }), 405],
      [await poll(partner, 'con_foreign'), 403],
      [await partner.get('/reservations'), 400],
    ] as const
    for (const [answer, status] of answers) {
      expect(answer.status).toBe(status)
      expect(saidBy(answer)).not.toContain(undefined)
    }
    gateway.feed.script = (request) => void request.socket.destroy()
    const unavailable = await poll()
    expect(unavailable.status).toBe(503)
    expect(saidBy(unavailable)).not.toContain(undefined)
  })

  it('are not reported to strangers', async () => {
    const answer = await call(gateway.publicOrigin, '/api/connectivity/v1/properties', {
      headers: { 'X-Forwarded-For': newAddress() },
    })
    expect(answer.status).toBe(401)
    expect(saidBy(answer)).toEqual(LIMIT_HEADERS.map(() => undefined))
  })

  it('pass exactly the burst at once and answer 429 in the envelope', async () => {
    await setLimits({ feed: { per_minute: 1, burst: 7 } })
    await gateway.until(poll, ({ headers }) => headers['x-ratelimit-limit'] === '1')
    const answers = await atOnce(20, poll)
    const asked = gateway.feed.requests.length
    expect(withStatus(answers, 200)).toHaveLength(6)
    const refused = withStatus(answers, 429)
    expect(refused).toHaveLength(14)
    expect(refused[0]!.json).toMatchObject({ schema_version: '1.0.0', error: { code: 'rate_limited' } })
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(50)
    expect(refused[0]!.json.error!.retry_after_seconds).toBe(Number(refused[0]!.headers['retry-after']))
    expect(refused[0]!.headers.ratelimit).toBe('"feed";r=0;t=420')
    await poll()
    expect(gateway.feed.requests.length).toBe(asked)
  })

  it('take effect at once when raised, while other classes stay unchanged', async () => {
    await setLimits({ feed: { per_minute: 1, burst: 1 }, reads: { per_minute: 2, burst: 2 } })
    await gateway.untilAnswered(poll, 429)
    await setLimits({ feed: { per_minute: 1, burst: 5 } })
    const raised = await gateway.untilAnswered(poll, 200)
    expect(raised.headers['x-ratelimit-remaining']).toBe('3')
    expect((await partner.get('/properties')).headers['x-ratelimit-limit']).toBe('2')
  })

  it('of a connection apply to all its credentials together, those of reads to each', async () => {
    const colleague = gateway.partner(await gateway.signingKey(connection))
    await setLimits({ feed: { per_minute: 1, burst: 1 }, reads: { per_minute: 1, burst: 1 } })
    await gateway.until(poll, ({ status }) => status === 429)
    expect((await poll(colleague)).status).toBe(429)
    await gateway.untilAnswered(() => partner.get('/properties'), 429)
    expect((await colleague.get('/properties')).status).toBe(200)
  })

  it('count for the addressed connection if it is the caller’s, otherwise for the credential’s own', async () => {
    const other = await gateway.pilotConnection(application, 'prop_2')
    const stranger = await gateway.pilotConnection(await gateway.approvedApplication())
    await setLimits({ feed: { per_minute: 1, burst: 3 } })
    await gateway.until(
      () => poll(),
      ({ headers }) => headers['x-ratelimit-limit'] === '1',
    )
    expect((await poll(partner, other)).headers['x-ratelimit-remaining']).toBe('2')
    const left = Number((await poll()).headers['x-ratelimit-remaining'])
    expect((await poll(partner, stranger)).headers['x-ratelimit-remaining']).toBe(String(left - 1))
    expect((await poll(gateway.partner(await gateway.signingKey(stranger)), stranger)).headers.ratelimit).toBe(
      '"feed";r=59;t=1',
    )
  })

  it('are checked after authentication and before everything else', async () => {
    await setLimits({ reads: { per_minute: 1, burst: 1 }, mutations: { per_minute: 1, burst: 1 } })
    await gateway.untilAnswered(() => partner.get('/auth/health'), 429)
    expect((await partner.get('/nowhere')).status).toBe(429)
    expect((await partner.get('/nowhere', { method: 'POST' })).status).toBe(404)
    expect((await partner.get('/properties', { method: 'DELETE' })).status).toBe(429)
    const forged = gateway.partner({ ...partner.key, signing_secret: 'another' })
    const fromElsewhere = { headers: { 'X-Forwarded-For': newAddress() } }
    expect((await forged.get('/auth/health', fromElsewhere)).status).toBe(401)
  })

  describe('of failed authentication', () => {
    const fail = (address: string) =>
      call(gateway.publicOrigin, '/api/connectivity/v1/properties', { headers: { 'X-Forwarded-For': address } })

    it('apply to each address, and only to failures', async () => {
      const address = newAddress()
      const answers = await atOnce(8, () => fail(address))
      expect(withStatus(answers, 401)).toHaveLength(5)
      const [refused] = withStatus(answers, 429)
      expect(refused!.json.error!.code).toBe('rate_limited')
      expect(refused!.headers['retry-after']).toBe('12')
      expect(saidBy(refused!)).toEqual(LIMIT_HEADERS.map(() => undefined))
      expect((await partner.get('/properties', { headers: { 'X-Forwarded-For': address } })).status).toBe(200)
      expect((await fail(newAddress())).status).toBe(401)
    })

    it('apply to a whole IPv6 network, as reported by the last trusted proxy', async () => {
      const address = newAddress()
      await atOnce(5, () => fail(address))
      expect((await fail(address.replace(/1$/, 'ffff:1:2'))).status).toBe(429)
      expect((await fail(`192.0.2.1, ${address}`)).status).toBe(429)
    })

    it('apply to token requests too', async () => {
      const address = newAddress()
      const ask = () =>
        call(gateway.publicOrigin, '/api/connectivity/v1/oauth/token', {
          method: 'POST',
          headers: { 'X-Forwarded-For': address, 'Content-Type': 'application/x-www-form-urlencoded' },
          body: 'grant_type=client_credentials&client_id=cli_1&client_secret=guess',
        })
      expect(withStatus(await atOnce(8, ask), 429)).toHaveLength(3)
    })
  })

  it('are counted in this process while Redis is unavailable, and no request fails because of it', async () => {
    await setLimits({ feed: { per_minute: 1, burst: 10 } })
    await gateway.until(poll, ({ headers }) => headers['x-ratelimit-limit'] === '1')
    const before = Number((await poll()).headers['x-ratelimit-remaining'])
    redisPath.cut()
    const answers = await atOnce(20, poll)
    expect(withStatus(answers, 200)).toHaveLength(before)
    expect(withStatus(answers, 429)).toHaveLength(20 - before)
    const active = async () => (await call(gateway.privateOrigin, '/metrics')).text
    expect(await active()).toContain('connectivity_limit_fallback_active 1')
    redisPath.restore()
    await eventually(async () => expect(await active()).toContain('connectivity_limit_fallback_active 0'))
    expect((await partner.get('/properties')).status).toBe(200)
  })
})
