import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { call, now, type Partner, refused, signatureHeaders, type SigningKey } from './partner.js'

describe('authentication', () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let key: SigningKey
  let partner: Partner
  let page: string

  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    key = await gateway.signingKey(connection)
    partner = gateway.partner(key)
    page = `/reservations?property_id=${connection}`
  })
  afterAll(() => gateway.stop())

  const mismatch = refused(401, 'invalid_signature', { code: 'signature_mismatch' })

  it.each(['/properties', '/reservations', '/nothing', '/auth/health'])('is required at %s', async (path) => {
    const answer = await call(gateway.publicOrigin, BASE_PATH + path)
    expect(answer).toMatchObject(refused(401, 'invalid_signature', { code: 'missing_header' }))
  })

  it('answers an unknown key exactly like a wrong secret', async () => {
    const wrong = await gateway.partner({ ...key, signing_secret: 'wrong' }).get(page)
    const unknown = await gateway.partner({ ...key, key_id: 'key_unknown' }).get(page)
    expect(wrong).toMatchObject(mismatch)
    const comparable = ({ json, status }: typeof wrong) => ({ status, error: { ...json.error, correlation_id: '' } })
    expect(comparable(unknown)).toEqual(comparable(wrong))
  })

  it.each([
    [300, 200],
    [-299, 200],
    [-302, 401],
    [303, 401],
  ])('with a clock that is %d s off gets %d', async (skew, status) => {
    const answer = await partner.get(page, { timestamp: now() + skew })
    expect(answer.status).toBe(status)
    if (status === 401) {
      const clock = { server_time: expect.stringMatching(/^20.{21}Z$/), server_unix_time: expect.closeTo(now(), -1) }
      expect(answer).toMatchObject(refused(401, 'invalid_signature', { code: 'timestamp_out_of_window', ...clock }))
    }
  })

  it('covers the method, the path and the body', async () => {
    expect(await partner.get(page, { signedPath: `${BASE_PATH}/properties` })).toMatchObject(mismatch)
    expect(await partner.get(page, { signedPath: `${BASE_PATH}/reservations/` })).toMatchObject(mismatch)
    const headers = signatureHeaders(key, BASE_PATH + page, { method: 'HEAD' })
    expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers })).toMatchObject(mismatch)
    const other = signatureHeaders(key, BASE_PATH + page, { body: 'a' })
    expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: other, body: 'b' })).toMatchObject(mismatch)
    expect((await partner.get(page, { body: 'ignored but signed' })).status).toBe(200)
  })

  it('does not cover the query and takes upper-case hex', async () => {
    const headers = signatureHeaders(key, `${BASE_PATH}/reservations`)
    headers['X-Service-Signature'] = headers['X-Service-Signature']!.toUpperCase()
    expect((await call(gateway.publicOrigin, BASE_PATH + page, { headers })).status).toBe(200)
  })

  it('refuses a header sent twice', async () => {
    const headers = [
      ...Object.entries(signatureHeaders(key, BASE_PATH + page)).flat(),
      'X-Service-Key-Id',
      key.key_id,
      'Host',
      'h',
    ]
    const answer = await call(gateway.publicOrigin, BASE_PATH + page, { headers })
    expect(answer).toMatchObject(
      refused(401, 'invalid_signature', { pointer: 'X-Service-Key-Id', code: 'malformed_header' }),
    )
  })

  it('refuses tokens, other schemes and both mechanisms at once', async () => {
    const bearer = { Authorization: 'Bearer cat_123' }
    expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: bearer })).toMatchObject(
      refused(401, 'invalid_token'),
    )
    const basic = { Authorization: 'Basic eDp5' }
    expect(await call(gateway.publicOrigin, BASE_PATH + page, { headers: basic })).toMatchObject(
      refused(401, 'invalid_token'),
    )
    expect(await partner.get(page, { headers: bearer })).toMatchObject(refused(401, 'invalid_signature'))
  })

  it('fails once the credential has expired', async () => {
    const expires_at = new Date(Date.now() + 1_000).toISOString()
    const short = gateway.partner(await gateway.signingKey(connection, { expires_at }))
    expect((await short.get(page)).status).toBe(200)
    while (Date.now() < Date.parse(expires_at)) await new Promise(setImmediate)
    expect(await short.get(page)).toMatchObject(mismatch)
  })
})
