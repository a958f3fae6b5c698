import { randomBytes } from 'node:crypto'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { GatewayUnderTest } from './gateway-under-test.js'
import { OAuthPartner } from './oauth-client.js'
import { type Answer, call } from './partner.js'
import { newToken } from '../src/live/access-token.js'

/** Lookups of an address over its limit, at once; these tests ask for more. */
const MANY = 30
const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

describe('at an address over its limit of failures, a credential that is new to the gateway', () => {
  const gateway = new GatewayUnderTest()
  let connection: string

  beforeAll(async () => {
    await gateway.start({ TRUSTED_PROXIES: ['127.0.0.1/32'], FAILED_AUTH_PER_MINUTE: 5 })
    connection = await gateway.pilotConnection(await gateway.approvedApplication())
  })
  afterAll(() => gateway.stop())

  const from = (address: string) => ({ 'X-Forwarded-For': address })
  const atOnce = <T>(count: number, ask: (index: number) => Promise<T>): Promise<T[]> =>
    Promise.all(Array.from({ length: count }, (_, index) => ask(index)))
  const statuses = (answers: Answer[]) => new Set(answers.map(({ status }) => status))

  /** An address whose invented tokens use up its lookups. */
  async function overLimit(): Promise<string> {
    const address = newAddress()
    const guess = () => ({ authorization: `Bearer ${newToken('access', '00'.repeat(32))}`, ...from(address) })
    const answers = await atOnce(MANY, () =>
      call(gateway.publicOrigin, `${BASE_PATH}/properties`, { headers: guess() }),
    )
    expect(statuses(answers)).toContain(429)
    return address
  }

  it('passes with its signature', async () => {
    const keys = await atOnce(MANY, () => gateway.signingKey(connection))
    const address = await overLimit()
    const ask = (index: number) => gateway.partner(keys[index]!).get('/properties', { headers: from(address) })
    expect(statuses(await atOnce(MANY, ask))).toEqual(new Set([200]))
  })

  it('obtains tokens and passes with them, also with those that another gateway has issued', async () => {
    const clients = await atOnce(MANY, () => OAuthPartner.issued(gateway, connection))
    const address = await overLimit()
    const tokens = await atOnce(MANY, async (index) => {
      const { client_id, client_secret } = clients[index]!.client
      const given = { grant_type: 'client_credentials', client_id, client_secret }
      const answer = await clients[index]!.form(String(new URLSearchParams(given)), from(address))
      expect(answer.status).toBe(200)
      return answer.json.access_token as string
    })
    const ask = (index: number) => clients[index]!.get('/properties', tokens[index]!, from(address))
    expect(statuses(await atOnce(MANY, ask))).toEqual(new Set([200]))
  })

  it('signs in to the documentation', async () => {
    const keys = await atOnce(MANY, () => gateway.signingKey(connection))
    const address = await overLimit()
    const ask = (index: number) => {
      const { key_id: id, signing_secret: secret } = keys[index]!
      return call(gateway.publicOrigin, '/docs/session', {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...from(address) },
        body: String(new URLSearchParams({ id, secret, next: '/docs' })),
      })
    }
    expect(statuses(await atOnce(MANY, ask))).toEqual(new Set([303]))
  })

  it('is refused with a wrong secret, and invented ones cause no further lookups', async () => {
    const client = await OAuthPartner.issued(gateway, connection)
    const address = await overLimit()
    const wrong = () => client.form('grant_type=client_credentials&client_id=cli_1&client_secret=x', from(address))
    const misses = async () =>
      Number(
        /lookups_total\{cache="credentials",result="miss"\} (\d+)/.exec(
          (await call(gateway.privateOrigin, '/metrics')).text,
        )![1],
      )
    const before = await misses()
    expect(statuses(await atOnce(MANY, wrong))).toEqual(new Set([429]))
    expect((await misses()) - before).toBeLessThanOrEqual(15)
  })
})
