import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import type { Answer, SigningKey } from './partner.js'

const reason = 'ticket 4711'
const TIME = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)

describe('rotation', () => {
  const gateway = new GatewayUnderTest()
  let connection: string

  beforeAll(async () => {
    await gateway.start()
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
  })
  afterAll(() => gateway.stop())

  const rotate = (id: string, given: object = {}) =>
    gateway.ops('POST', `/credentials/${id}/rotate`, { reason, ...given })
  const signedWith = (key: SigningKey, secret: unknown) => () =>
    gateway.partner({ ...key, signing_secret: String(secret) }).get('/auth/health')

  it('gives a second secret under the same id; the first ends after 7 days', async () => {
    const key = await gateway.signingKey(connection)
    const rotated = await rotate(key.credential_id)
    expect(rotated).toMatchObject({
      status: 200,
      json: {
        credential_id: key.credential_id,
        key_id: key.key_id,
        signing_secret: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
        rotation: { old_secret_ends_at: TIME },
      },
    })
    expect(rotated.json.signing_secret).not.toBe(key.signing_secret)
    const ends = Date.parse((rotated.json.rotation as { old_secret_ends_at: string }).old_secret_ends_at)
    expect(Math.abs(ends - Date.now() - 604_800_000)).toBeLessThan(30_000)
    const now = await gateway.untilServed(signedWith(key, rotated.json.signing_secret))
    expect(now.json.credential).toMatchObject({ rotation: rotated.json.rotation })
    expect((await signedWith(key, key.signing_secret)()).status).toBe(200)
  })

  it('ends the old secret at once with an overlap of 0', async () => {
    const key = await gateway.signingKey(connection)
    expect((await signedWith(key, key.signing_secret)()).status).toBe(200)
    const { json } = await rotate(key.credential_id, { overlap_seconds: 0 })
    expect(json.rotation).toBeNull()
    await gateway.untilAnswered(signedWith(key, key.signing_secret), 401)
    const answer = await signedWith(key, json.signing_secret)()
    expect(answer).toMatchObject({ status: 200, json: { credential: { rotation: null } } })
  })

  it('ends the old secret when the overlap is over', async () => {
    const key = await gateway.signingKey(connection)
    const { json } = await rotate(key.credential_id, { overlap_seconds: 1 })
    await gateway.untilServed(signedWith(key, json.signing_secret))
    expect((await signedWith(key, key.signing_secret)()).status).toBe(200)
    await gateway.until(signedWith(key, key.signing_secret), ({ status }) => status === 401, 3_000)
    expect((await signedWith(key, json.signing_secret)()).status).toBe(200)
  })

  it('ends the oldest of three', async () => {
    const key = await gateway.signingKey(connection)
    const second = (await rotate(key.credential_id)).json.signing_secret
    const third = (await rotate(key.credential_id, { overlap_seconds: 3600 })).json.signing_secret
    await gateway.untilServed(signedWith(key, third))
    expect((await signedWith(key, second)()).status).toBe(200)
    expect((await signedWith(key, key.signing_secret)()).status).toBe(401)
  })

  it('works the same for clients', async () => {
    const partner = await OAuthPartner.issued(gateway, connection)
    const token = await partner.token()
    const { json } = await rotate(partner.client.credential_id)
    expect(json).toMatchObject({
      type: 'oauth',
      client_id: partner.client.client_id,
      rotation: { old_secret_ends_at: TIME },
    })
    const client_secret = json.client_secret as string
    await gateway.untilServed(() => partner.ask({ client_secret }))
    expect((await partner.ask()).status).toBe(200)
    expect((await partner.get('/auth/health', token)).json.credential).toMatchObject({ rotation: json.rotation })
    await rotate(partner.client.credential_id, { overlap_seconds: 0 })
    await gateway.untilAnswered(() => partner.ask({ client_secret }), 401)
    expect((await partner.ask()).status).toBe(401)
  })

  it.each([-1, 0.5, '60', null, 31_536_001])('refuses an overlap of %j', async (overlap_seconds) => {
    const key = await gateway.signingKey(connection)
    expect(await rotate(key.credential_id, { overlap_seconds })).toMatchObject({
      status: 400,
      json: { error: { code: 'invalid_request', details: [{ pointer: '/overlap_seconds' }] } },
    })
  })

  it('is refused for a revoked or unknown credential', async () => {
    const key = await gateway.signingKey(connection)
    await gateway.ops('POST', `/credentials/${key.credential_id}/revoke`, { reason })
    expect(await rotate(key.credential_id)).toMatchObject({
      status: 409,
      json: { error: { code: 'credential_revoked' } },
    })
    expect((await rotate('cred_none')).status).toBe(404)
    expect((await rotate(key.key_id)).status).toBe(404)
  })

  it('leaves two secrets when run many times at once', async () => {
    const key = await gateway.signingKey(connection)
    const answers = await Promise.all(Array.from({ length: 4 }, () => rotate(key.credential_id)))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const tried = await Promise.all(
      [key, ...answers.map(({ json }) => json)].map(({ signing_secret }) => signedWith(key, signing_secret)()),
    )
    expect(tried.filter(({ status }) => status === 200)).toHaveLength(2)
  })

  it('is on record without any secret', async () => {
    const key = await gateway.signingKey(connection)
    const { json, text } = await rotate(key.credential_id)
    const audit: Answer = await gateway.ops('GET', `/audit?subject=${key.credential_id}`)
    expect(audit.json.entries).toMatchObject([
      { action: 'credential.rotate', reason, before: { rotation: null }, after: { rotation: json.rotation } },
      { action: 'credential.issue' },
    ])
    expect(text).toContain(json.signing_secret)
    const list = await gateway.ops('GET', `/connections/${connection}/credentials?limit=100`)
    for (const shown of [audit.text, list.text, await gateway.storedText()]) {
      expect(shown).not.toContain(json.signing_secret)
      expect(shown).not.toContain(key.signing_secret)
    }
  })

  describe('of a client', () => {
    const statusOf = (partner: OAuthPartner, token: string) => () => partner.get('/properties', token)

    it('without overlap ends every token made with an old secret within a second, and no others', async () => {
      const [partner, other] = [
        await OAuthPartner.issued(gateway, connection),
        await OAuthPartner.issued(gateway, connection),
      ]
      const tokens = [await partner.token(), await partner.token()]
      const kept = await other.token()
      for (const token of tokens) expect((await statusOf(partner, token)()).status).toBe(200)
      const { json } = await rotate(partner.client.credential_id, { overlap_seconds: 0 })
      for (const token of tokens) {
        const refused = await gateway.untilAnswered(statusOf(partner, token), 401)
        expect(refused.json.error!.code).toBe('invalid_token')
      }
      expect((await statusOf(other, kept)()).status).toBe(200)
      const renewed = await partner.token({ client_secret: json.client_secret as string })
      expect((await statusOf(partner, renewed)()).status).toBe(200)
    })

    it('with overlap ends the tokens of the old secret together with it, as expires_in shows', async () => {
      const partner = await OAuthPartner.issued(gateway, connection)
      const before = await partner.token()
      const { json } = await rotate(partner.client.credential_id, { overlap_seconds: 2 })
      const client_secret = json.client_secret as string
      const asked = await gateway.untilServed(() => partner.ask({ client_secret }))
      expect(asked.json.expires_in).toBe(3600)
      const during = await partner.ask()
      expect(during.json.expires_in).toBeLessThanOrEqual(2)
      expect((await statusOf(partner, before)()).status).toBe(200)
      await gateway.until(statusOf(partner, before), ({ status }) => status === 401, 4_000)
      expect((await statusOf(partner, asked.json.access_token as string)()).status).toBe(200)
    })

    it('ends tokens that name no secret together with the oldest one', async () => {
      const partner = await OAuthPartner.issued(gateway, connection)
      const [token, untried] = [await partner.token(), await partner.token()]
      const id = partner.client.credential_id
      await gateway.sql('UPDATE access_token SET secret_created_at = NULL WHERE credential_id = $1', [id])
      await rotate(id)
      expect((await statusOf(partner, token)()).status).toBe(200)
      await rotate(id)
      await gateway.untilAnswered(statusOf(partner, token), 401)
      expect((await statusOf(partner, untried)()).status).toBe(401)
      expect(await gateway.sql('SELECT 1 FROM access_token WHERE credential_id = $1', [id])).toEqual([])
    })

    it('that runs while a token is requested with the old secret leaves no token behind', async () => {
      const partner = await OAuthPartner.issued(gateway, connection)
      const asking = [await partner.ask(), ...Array.from({ length: 20 }, () => partner.ask())]
      await rotate(partner.client.credential_id, { overlap_seconds: 0 })
      const given = (await Promise.all(asking)).filter(({ status }) => status === 200)
      expect(given).not.toEqual([])
      for (const { json } of given) await gateway.untilAnswered(statusOf(partner, json.access_token as string), 401)
    })
  })
})
