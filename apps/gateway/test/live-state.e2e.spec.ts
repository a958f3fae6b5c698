import { eventually } from '@connectivity/testing/eventually'
import { LiveCredentials } from '../src/live/live-credentials.service.js'
import { Changes } from '../src/live/changes.service.js'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { Answer } from './partner.js'

describe('changes', () => {
  const gateway = new GatewayUnderTest()
  let application: string
  let connection: string

  beforeAll(async () => {
    await gateway.start()
    application = await gateway.approvedApplication()
    connection = await gateway.pilotConnection(application)
  })
  afterEach(() => gateway.databasePath.restore())
  afterAll(() => gateway.stop())

  const poller = async (): Promise<() => Promise<Answer>> => {
    const partner = gateway.partner(await gateway.signingKey(connection))
    return () => partner.get(`/reservations?property_id=${connection}`)
  }
  const reason = { reason: 'test' }

  const revokeOne = async () => {
    const { credential_id, ...key } = await gateway.signingKey(connection)
    const partner = gateway.partner(key)
    expect((await partner.get('/properties')).status).toBe(200)
    await gateway.ops('POST', `/credentials/${credential_id}/revoke`, reason)
    await gateway.untilAnswered(() => partner.get('/properties'), 401)
  }

  it('revoke a credential within 1 s', revokeOne)

  it('suspend and resume an application within 1 s', async () => {
    const poll = await poller()
    expect((await poll()).status).toBe(200)
    await gateway.ops('POST', `/applications/${application}/suspend`, reason)
    const refused = await gateway.untilAnswered(poll, 401)
    expect(refused.json.error!.details![0]!.code).toBe('signature_mismatch')
    await gateway.ops('POST', `/applications/${application}/approve`, reason)
    await gateway.untilServed(poll)
  })

  it('disable and enable a connection within 1 s', async () => {
    const poll = await poller()
    expect((await poll()).status).toBe(200)
    const move = (to: string) => gateway.ops('POST', `/connections/${connection}/transitions`, { to, ...reason })
    await move('disabled')
    await gateway.untilAnswered(poll, 403)
    await move('enabled')
    await gateway.untilServed(poll)
  })

  it('issue a credential that works at once', async () => {
    const keys = await Promise.all(Array.from({ length: 5 }, () => gateway.signingKey(connection)))
    for (const key of keys) expect((await gateway.partner(key).get('/properties')).status).toBe(200)
  })

  it('cannot be read without the database: strangers get 503, known callers once their copies expire', async () => {
    const poll = await poller()
    const known = await gateway.signingKey(connection)
    // Changes arrive in order, so no earlier change drops the copies that the poll leaves behind.
    await revokeOne()
    expect((await poll()).status).toBe(200)
    gateway.databasePath.cut()
    const refused = await gateway.untilAnswered(() => gateway.partner(known).get('/auth/health'), 503)
    expect(refused.json).toMatchObject({
      schema_version: '1.0.0',
      error: { code: 'service_unavailable', retry_after_seconds: 2 },
    })
    expect(refused.headers['retry-after']).toBe('2')
    expect((await poll()).status).toBe(200)
    expect(await gateway.partner({ ...known, signing_secret: 'x' }).get('/auth/health')).toMatchObject({ status: 503 })
    expect(await gateway.ops('GET', '/applications')).toMatchObject({ status: 503 })
    gateway.databasePath.restore()
    await gateway.until(poll, ({ status }) => status === 200, 5_000)
    await gateway.until(
      () => gateway.partner(known).get('/auth/health'),
      ({ status }) => status === 200,
      5_000,
    )
  })

  it('made while the database cannot be reached take effect as soon as it can', async () => {
    const poll = await poller()
    const { credential_id, ...key } = await gateway.signingKey(connection)
    const partner = gateway.partner(key)
    await eventually(async () => {
      expect((await partner.get('/properties')).status).toBe(200)
      expect(gateway.app.get(LiveCredentials, { strict: false }).peek(key.key_id)).toBeDefined()
    })
    const { currentEra } = gateway.app.get(Changes, { strict: false })
    gateway.databasePath.cut()
    await eventually(() => expect(currentEra()).toBeNull())
    await gateway.revokeBehindItsBack(credential_id)
    gateway.databasePath.restore()
    await eventually(() => expect(currentEra()).not.toBeNull(), { deadline: 5_000 })
    expect((await partner.get('/properties')).status).toBe(401)
    expect((await poll()).status).toBe(200)
  })
})
