import { randomBytes, randomUUID } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { LoggedRequest } from '@connectivity/contracts/request-log'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call, now, signatureHeaders, type SigningKey } from './partner.js'

/** More failures than the log keeps of one address in a minute. */
const MANY = 65
const KEPT = 60
const PATH = `${BASE_PATH}/properties`

describe('the request log, when strangers fail at the address of a partner', () => {
  const gateway = new GatewayUnderTest()
  let connection: string
  let key: SigningKey & { credential_id: string }
  let from: Record<string, string>

  beforeAll(async () => {
    await gateway.start({ TRUSTED_PROXIES: ['127.0.0.1/32'] })
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
    key = await gateway.signingKey(connection)
  })
  beforeEach(async () => {
    from = { 'X-Forwarded-For': `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1` }
    await eventually(() => {
      if (new Date().getSeconds() > 50) throw new Error('the minute is about to end')
    })
  })
  afterAll(() => gateway.stop())

  const idOf = ({ headers }: Answer) => String(headers['x-correlation-id'])
  const entriesOf = async (query: string) =>
    (await gateway.ops('GET', `/requests?${query}`)).json.requests as LoggedRequest[]
  const ask = (headers: Record<string, string>, path = PATH) =>
    call(gateway.publicOrigin, path, { headers: { ...from, ...headers } })
  const strangers = async (headersOf = (): Record<string, string> => ({})) => {
    for (let count = 0; count < MANY; count++) await ask(headersOf(), `${BASE_PATH}/stranger-${count}`)
  }
  const expectEntry = (answer: Answer, credentialId: string) =>
    eventually(async () => {
      const entries = await entriesOf(`correlation_id=${idOf(answer)}`)
      expect(entries).toMatchObject([{ credential_id: credentialId, authenticated: false }])
    })

  it.each<[string, (signed: Record<string, string>) => Record<string, string>]>([
    ['without signature', ({ 'X-Service-Signature': _left, ...rest }) => rest],
    ['with a malformed signature', (signed) => ({ ...signed, 'X-Service-Signature': 'zz' })],
    ['outside the window', () => signatureHeaders(key, PATH, { timestamp: now() - 900 })],
  ])('keeps a request %s that names a key', async (_name, change) => {
    await strangers()
    const answer = await ask(change(signatureHeaders(key, PATH)))
    expect(answer.status).toBe(401)
    await expectEntry(answer, key.key_id)
  })

  it('keeps a request that names a revoked key', async () => {
    const revoked = await gateway.signingKey(connection)
    await gateway.ops('POST', `/credentials/${revoked.credential_id}/revoke`, { reason: 'test' })
    await strangers()
    const answer = await eventually(async () => {
      const refused = await ask(signatureHeaders(revoked, PATH))
      expect(refused.status).toBe(401)
      return refused
    })
    await expectEntry(answer, revoked.key_id)
  })

  it.each([
    ['without secret', {}],
    ['with a wrong secret', { client_secret: 'wrong' }],
  ])('keeps a token request %s that names a client', async (_name, parameters) => {
    const partner = await OAuthPartner.issued(gateway, connection)
    const { client_id } = partner.client
    await strangers()
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, ...parameters })
    const answer = await partner.form(String(form), from)
    expect(answer.status).toBe(401)
    await expectEntry(answer, client_id)
  })

  it('counts invented keys against their address', async () => {
    const since = new Date().toISOString()
    const invented = () => ({ 'X-Service-Key-Id': `key_${randomUUID().replaceAll('-', '')}${'0'.repeat(12)}` })
    await strangers(invented)
    await eventually(async () => {
      const entries = await entriesOf(`since=${since}&status=401&limit=100`)
      expect(entries).toHaveLength(KEPT)
    })
  })
})
