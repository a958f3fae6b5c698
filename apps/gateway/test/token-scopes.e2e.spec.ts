import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner, refused } from './oauth-client.js'

let gateway: GatewayUnderTest
let connection: string
beforeAll(async () => {
  gateway = await new GatewayUnderTest().start()
  const application = await gateway.approvedApplication()
  const limits = { token: { per_minute: 100_000, burst: 10_000 } }
  await gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
  connection = await gateway.pilotConnection(application)
})
afterAll(() => gateway.stop())

describe('the scope of a token', () => {
  let narrow: OAuthPartner
  beforeAll(async () => {
    narrow = await OAuthPartner.issued(gateway, connection, { scopes: ['reservations:read', 'ari:read'] })
  })

  it.each([
    [undefined, 'reservations:read ari:read'],
    ['', 'reservations:read ari:read'],
    [' ', 'reservations:read ari:read'],
    ['ari:read', 'ari:read'],
    ['ari:read  ari:read', 'ari:read'],
    ['ari:read reservations:read', 'reservations:read ari:read'],
  ])('%j grants %j', async (scope, expected) => {
    expect((await narrow.ask(scope === undefined ? {} : { scope })).json.scope).toBe(expected)
  })

  it.each([
    'all',
    'ari:read all',
    'ari:write',
    'ari:read ari:write',
    'ARI:READ',
    'ari:read,reservations:read',
    'ari:read\t',
  ])('%j is refused', async (scope) => {
    expect(await narrow.ask({ scope })).toMatchObject(refused(400, 'invalid_scope'))
  })

  it('limits what the token may do', async () => {
    const token = await narrow.token({ scope: 'ari:read' })
    const page = `/reservations?property_id=${connection}`
    expect(await narrow.get(page, token)).toMatchObject({
      status: 403,
      json: { error: { code: 'insufficient_scope' } },
    })
    expect((await narrow.get('/auth/health', token)).json.scopes).toEqual(['ari:read'])
    expect((await narrow.get(page, await narrow.token())).status).toBe(200)
  })
})

describe('the limits of token requests', () => {
  it('count the requests of a client, including those refused after it is authenticated', async () => {
    const application = await gateway.approvedApplication()
    const neighbour = await OAuthPartner.issued(gateway, connection)
    const own = await OAuthPartner.issued(gateway, await gateway.pilotConnection(application))
    const limits = { token: { per_minute: 1, burst: 3 } }
    await gateway.ops('PUT', `/applications/${application}/limits`, { limits, reason: 'test' })
    const first = await gateway.until(
      () => own.ask(),
      ({ headers }) => headers['x-ratelimit-limit'] === '1',
    )
    expect(first.headers['ratelimit-policy']).toBe('"token";q=1;w=60')
    let last = await own.ask({ grant_type: 'password' })
    for (let n = 0; n < 3; n += 1) last = await own.ask()
    expect(last).toMatchObject(refused(429, 'rate_limited'))
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    expect((await neighbour.ask()).status).toBe(200)
    const wrong = await own.form(`grant_type=client_credentials&client_id=${own.client.client_id}&client_secret=x`)
    expect(wrong).toMatchObject(refused(401, 'invalid_client'))
  })
})
