import { OAuthPartner } from './oauth-client.js'
import { PortalBrowser, portalToken } from './portal-browser.js'
import { WaitingPartner } from './waiting-partner.js'

const reason = { reason: 'test' }

describe('a request that waits for a change and loses its access', () => {
  const waiting = new WaitingPartner()
  const { gateway, looks, begun } = waiting
  beforeAll(waiting.start)
  afterAll(() => gateway.stop())
  beforeEach(waiting.connect)

  const move = (to: string) => gateway.ops('POST', `/connections/${waiting.connection}/transitions`, { to, ...reason })
  /** A credential of the connection that ends in two seconds. */
  const endsSoon = () => ({ expires_at: new Date(Date.now() + 2_000).toISOString() })
  const getOfKey = async (given: object) => {
    const partner = gateway.partner(await gateway.signingKey(waiting.connection, given))
    return (path: string) => partner.get(path)
  }
  const getOfToken = async (given: object) => {
    const client = await OAuthPartner.issued(gateway, waiting.connection, given)
    const token = await client.token()
    return (path: string) => client.get(path, token)
  }

  it.each([
    ['its connection is disabled', 403, () => move('disabled')],
    ['its connection is closed', 403, () => move('closed')],
    [
      'its credential is revoked',
      401,
      () => gateway.ops('POST', `/credentials/${waiting.credentialId}/revoke`, reason),
    ],
  ])('is refused within a second when %s', async (_what, status, end) => {
    const { answer } = await begun()
    expect((await end()).status).toBeLessThan(300)
    const endedAt = performance.now()
    expect((await answer).status).toBe(status)
    // 1 s, plus 1 s for a machine busy with tests.
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it('is logged with the length of its refusal', async () => {
    const { answer } = await begun()
    await move('disabled')
    const { text, headers } = await answer
    const path = `/requests/${headers['x-correlation-id']}`
    const { json } = await gateway.untilServed(() => gateway.ops('GET', path))
    expect(json).toMatchObject({ status: 403, response_bytes: text.length })
  })

  it('is refused within a second when the client of its token is revoked', async () => {
    const client = await OAuthPartner.issued(gateway, waiting.connection)
    const token = await client.token()
    const { answer } = await begun('&wait=20', (path) => client.get(path, token))
    await gateway.ops('POST', `/credentials/${client.client.credential_id}/revoke`, reason)
    const endedAt = performance.now()
    expect(await answer).toMatchObject({ status: 401, json: { error: { code: 'invalid_token' } } })
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it('is refused within a second when the link of its portal session is revoked', async () => {
    const person = new PortalBrowser(gateway.publicOrigin)
    const { id, token } = await portalToken(gateway, waiting.application)
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
    await person.signIn((await portalToken(gateway, waiting.application)).token)
    const { answer } = await begun('&wait=20', (path) => person.get(path))
    expect((await person.send('DELETE', '/portal/session')).status).toBe(204)
    const endedAt = performance.now()
    expect((await answer).status).toBe(401)
    expect(performance.now() - endedAt).toBeLessThan(2_000)
  })

  it.each([
    ['key', 'invalid_signature'],
    ['token', 'invalid_token'],
  ])('is refused within a second of the end of its %s, without another look', async (kind, code) => {
    const ending = endsSoon()
    const get = kind === 'key' ? await getOfKey(ending) : await getOfToken(ending)
    const { answer } = await begun('&wait=20', get)
    expect(await answer).toMatchObject({ status: 401, json: { error: { code } } })
    expect(Date.now() - Date.parse(ending.expires_at)).toBeLessThan(2_000)
    expect(looks()).toHaveLength(1)
  })

  it.each([0, 1])('says that a rotation with %i s of overlap has ended its secret', async (overlap_seconds) => {
    const { answer } = await begun()
    await gateway.ops('POST', `/credentials/${waiting.credentialId}/rotate`, { overlap_seconds, ...reason })
    const endedAt = performance.now() + overlap_seconds * 1_000
    const refused = await answer
    expect(performance.now() - endedAt).toBeLessThan(2_000)
    expect(refused).toMatchObject({ status: 401, json: { error: { details: [{ hint: 'secret_ended' }] } } })
  })

  it('is refused when its application is suspended', async () => {
    const { answer } = await begun()
    await gateway.ops('POST', `/applications/${waiting.application}/suspend`, reason)
    expect((await answer).status).toBe(401)
    await gateway.ops('POST', `/applications/${waiting.application}/approve`, reason)
  })
})
