import { randomBytes } from 'node:crypto'
import { eventually } from '@connectivity/testing/eventually'
import { GatewayUnderTest } from './gateway-under-test.js'
import { type Answer, call } from './partner.js'

/** Requests of one address that pass at once. */
const BURST = 600
const newAddress = () => `2001:db8:${randomBytes(2).toString('hex')}:${randomBytes(2).toString('hex')}::1`

describe('pages that need no credential', () => {
  const gateway = new GatewayUnderTest()
  beforeAll(() => gateway.start({ TRUSTED_PROXIES: ['127.0.0.1/32'] }))
  afterAll(() => gateway.stop())

  const load = (path: string, address: string, headers: Record<string, string> = {}): Promise<Answer> =>
    call(gateway.publicOrigin, path, { headers: { 'X-Forwarded-For': address, ...headers } })
  const loadAll = async (path: string, address: string, headers?: Record<string, string>): Promise<Answer[]> => {
    const answers: Answer[] = []
    while (answers.length < BURST)
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => load(path, address, headers)))))
    return answers
  }
  const signedIn = async (address: string): Promise<Record<string, string>> => {
    const key = await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication()))
    const { headers } = await call(gateway.publicOrigin, '/docs/session', {
      method: 'POST',
      headers: { 'X-Forwarded-For': address, 'Content-Type': 'application/x-www-form-urlencoded' },
      body: String(new URLSearchParams({ id: key.key_id, secret: key.signing_secret, next: '/docs' })),
    })
    return { cookie: headers['set-cookie']![0]!.split(';')[0]! }
  }

  it.each([
    ['the portal', '/portal', {}],
    ['the documentation', '/docs', {}],
    ['the sign-in form', '/docs/sign-in', {}],
    ['the bare address', '/', { accept: 'text/html' }],
  ])(
    'are limited for each address: %s',
    async (_name, path, headers) => {
      const address = newAddress()
      const statuses = (await loadAll(path, address, headers)).map(({ status }) => status)
      expect(statuses.filter((status) => status >= 400)).toEqual([])
      // Twenty a second pass in the long run: a busy machine may need a second round.
      const refused = await eventually(async () => {
        const further = await Promise.all(Array.from({ length: 200 }, () => load(path, address, headers)))
        const found = further.filter(({ status }) => status === 429)
        expect(found.length).toBeGreaterThan(50)
        return found
      })
      expect(refused[0]!.json.error!.code).toBe('rate_limited')
      expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0)
      expect((await load(path, newAddress(), headers)).status).toBeLessThan(400)
    },
    30_000,
  )

  it('are not refused to a reader who is signed in because of others at the same address', async () => {
    const address = newAddress()
    const session = await signedIn(address)
    await loadAll('/docs', address)
    const statuses = async (headers?: Record<string, string>) =>
      (await Promise.all(Array.from({ length: 100 }, () => load('/docs', address, headers)))).map(
        ({ status }) => status,
      )
    // Twenty a second are allowed again meanwhile.
    await eventually(async () => expect(await statuses()).toContain(429))
    expect(new Set(await statuses(session))).toEqual(new Set([200]))
  }, 30_000)
})
