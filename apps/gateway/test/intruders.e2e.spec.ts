import { newId } from '@connectivity/service-kit/text'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call, type SigningKey } from './partner.js'

const hex = (digits: number) => newId('key').slice('key_'.length).padEnd(digits, '0').slice(0, digits)
const ROUNDS = 300
type Headers = Record<string, string>

const gateway = new GatewayUnderTest()
beforeAll(() => gateway.start({ PRIVATE_HOSTS: new Set(['ops.example.com', '127.0.0.1']) }))
afterAll(() => gateway.stop())

describe('an id that was never issued', () => {
  let connection: string
  let key: SigningKey & { credential_id: string }

  beforeAll(async () => {
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    key = await gateway.signingKey(connection)
  })
  afterEach(() => gateway.databasePath.restore())

  const signedBy = (key_id: string, signing_secret = 'x') =>
    gateway.partner({ key_id, signing_secret }).get('/properties')
  const clientWith = (client_id: string) =>
    new OAuthPartner(gateway.publicOrigin, { credential_id: '', client_id, client_secret: 'x' })
  const mismatch = { status: 401, json: { error: { details: [{ code: 'signature_mismatch' }] } } }

  it('is refused without the database when it has the current form', async () => {
    expect(key.key_id).toMatch(/^key_[0-9a-f]{44}$/)
    expect((await signedBy(key.key_id, key.signing_secret)).status).toBe(200)
    gateway.databasePath.cut()
    expect(await signedBy(`key_${hex(44)}`)).toMatchObject(mismatch)
    expect(await clientWith(`cli_${hex(44)}`).ask()).toMatchObject({ status: 401 })
    // Ids of an earlier release have no tag: only the database knows them.
    await gateway.untilAnswered(() => signedBy(`key_${hex(32)}`), 503)
  })

  it('gets the same refusal as a wrong secret', async () => {
    const wording = ({ json: { error } }: Answer) => ({ ...error, correlation_id: '' })
    const wrong = wording(await signedBy(key.key_id))
    for (const id of [hex(44), hex(32)]) expect(wording(await signedBy(`key_${id}`))).toEqual(wrong)
  })

  it('is refused in the same time as a wrong secret, in rotation or not', async () => {
    const rotated = await gateway.signingKey(connection)
    await gateway.ops('POST', `/credentials/${rotated.credential_id}/rotate`, { reason: 'test' })
    const ids = [() => key.key_id, () => rotated.key_id, () => `key_${hex(44)}`]
    const times = ids.map(() => [] as number[])
    for (let round = 0; round < ROUNDS; round++) {
      for (const [index, id] of ids.entries()) {
        const begin = performance.now()
        await signedBy(id())
        times[index]!.push(performance.now() - begin)
      }
    }
    const medians = times.map((all) => all.toSorted((a, b) => a - b)[ROUNDS / 2]!)
    // A look-up in the database makes it 1.5 times as long and more.
    expect(Math.max(...medians) / Math.min(...medians)).toBeLessThan(1.25)
  })

  it('may be of an earlier release, without a tag, as long as it is known', async () => {
    const old = await gateway.signingKey(connection)
    const key_id = old.key_id.slice(0, -12)
    await gateway.sql('UPDATE credential SET key_id = $1 WHERE credential_id = $2', [key_id, old.credential_id])
    expect((await signedBy(key_id, old.signing_secret)).status).toBe(200)
  })
})

describe('a token request from a page of another site', () => {
  it('is refused before its secret is looked at', async () => {
    const partner = await OAuthPartner.issued(
      gateway,
      await gateway.pilotConnection(await gateway.approvedApplication()),
    )
    const { client_id, client_secret } = partner.client
    const form = String(new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }))
    const own = gateway.publicOrigin
    const ours: Headers[] = [{}, { origin: own }, { origin: own, 'sec-fetch-site': 'same-origin' }]
    const theirs: Headers[] = [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]
    for (const headers of ours) expect((await partner.form(form, headers)).status).toBe(200)
    for (const body of [form, 'x'])
      for (const headers of theirs) {
        const answer = await partner.form(body, headers)
        expect(answer).toMatchObject({ status: 403, json: { error: { code: 'cross_site_request' } } })
        expect(answer.headers).toMatchObject({ 'cache-control': 'private, no-store', pragma: 'no-cache' })
      }
  })
})

describe('the private listener under a name of its own', () => {
  const ask = (target: string, host: string) => call(gateway.privateOrigin, target, { headers: { host } })

  it('answers operators under that name only', async () => {
    for (const host of ['ops.example.com', 'OPS.example.com:8081', '127.0.0.1:1'])
      expect((await ask('/ops/v1/overview', host)).status).toBe(401)
    for (const host of ['evil.example', 'ops.example.com.evil.example', 'localhost']) {
      const refused = { status: 400, json: { error: { code: 'invalid_request', details: [{ pointer: 'Host' }] } } }
      expect(await ask('/ops/v1/overview', host)).toMatchObject(refused)
      expect((await ask('/nothing', host)).status).toBe(400)
    }
  })

  it('answers probes and metrics under any name', async () => {
    for (const path of ['/health/live', '/metrics', `/metrics?x=${BASE_PATH}`])
      expect((await ask(path, '10.1.2.3:8081')).status).toBe(200)
  })
})
