import { jest } from '@jest/globals'
import { type Browser, startBrowser } from '@connectivity/toolkit/browser'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { GatewayUnderTest } from './gateway-under-test.js'
import { IdentityProvider } from './identity-provider.js'
import { call } from './partner.js'

const SIGN_IN = '/ops/v1/sign-in'

/** Pages load slowly when the machine is busy. */
jest.setTimeout(90_000)

describe('the sign-in of the console', () => {
  const gateway = new GatewayUnderTest()
  const provider = new IdentityProvider()
  let browser: Browser
  const opened: WatchedPage[] = []

  beforeAll(async () => {
    await provider.listen()
    const { issuer } = provider
    const given = { OPERATOR_OIDC_ISSUER: issuer, OPERATOR_ISSUER: issuer, OPERATOR_JWKS: `${issuer}/jwks` }
    ;[, browser] = await Promise.all([gateway.start(given), startBrowser()])
  })
  afterAll(async () => {
    await browser?.close()
    await gateway.stop()
    provider.stop()
  })
  afterEach(async () => {
    for (const page of opened.splice(0)) await page.close()
  })

  const visit = async (path: string): Promise<WatchedPage> => {
    const watched = await WatchedPage.open(browser, { origin: gateway.privateOrigin, api: '/ops/v1' })
    opened.push(watched)
    await watched.goto(path)
    return watched
  }

  /** Signs in at the provider and agrees that the console may act for the operator. */
  const authenticate = async ({ page }: WatchedPage): Promise<void> => {
    await page.getByPlaceholder('Enter any login').fill('olga')
    await page.getByPlaceholder('and password').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
  }

  const finish = (body: object, headers: Record<string, string> = {}) => {
    const origin = gateway.privateOrigin
    const own = { 'sec-fetch-site': 'same-origin', origin, 'content-type': 'application/json' }
    return call(origin, SIGN_IN, { method: 'POST', headers: { ...own, ...headers }, body: JSON.stringify(body) })
  }
  const answered = (query = 'code=x&state=s') => ({
    address: `${gateway.privateOrigin}/console/callback?${query}`,
    state: 's',
    code_verifier: 'v'.repeat(43),
  })

  it('says that the provider does not answer, and asks it again', async () => {
    const answer = await call(gateway.privateOrigin, SIGN_IN)
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    await provider.serve(`${gateway.privateOrigin}/console/callback`)
    expect((await call(gateway.privateOrigin, SIGN_IN)).json).toMatchObject({
      method: 'oidc',
      authorization_endpoint: `${provider.issuer}/auth`,
      client_id: 'connectivity-console',
      scope: 'openid',
    })
  })

  it('leads to the provider and back to the page, with a token that is never stored', async () => {
    const operator = await visit('/console/audit?actor=olga')
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
    await authenticate(operator)
    await operator.heading('Audit')
    expect(operator.page.url()).toBe(`${gateway.privateOrigin}/console/audit?actor=olga`)
    await operator.shows('olga')
    const kept = await operator.page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])',
    )
    expect(kept).toBe('[{},{},""]')
    expect(operator.violations).toEqual([])
    const scripted = provider.asked.filter((path) => path === '/token')
    expect(scripted).toHaveLength(1)
    expect(operator.foreign.filter((url) => url.includes('/token'))).toEqual([])
    await operator.press('Sign out')
    await operator.heading('Sign in')
  })

  it('asks for the code with a challenge, for the registered address only', async () => {
    const operator = await visit('/console')
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
    const first = new URL(operator.foreign.find((url) => url.includes('/auth?'))!)
    expect(Object.fromEntries(first.searchParams)).toMatchObject({
      response_type: 'code',
      redirect_uri: `${gateway.privateOrigin}/console/callback`,
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    })
  })

  it('says what the provider refused, takes the answer out of the address, and begins again', async () => {
    const operator = await visit('/console')
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
    await operator.page.getByRole('link', { name: '[ Cancel ]' }).click()
    await operator.shows(/refused this sign-in \(access_denied\)/)
    expect(operator.page.url()).toBe(`${gateway.privateOrigin}/console/callback`)
    expect(await operator.inaccessible()).toEqual([])
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
  })

  it('takes no answer that another tab or an attacker began', async () => {
    const operator = await visit('/console/callback?code=stolen&state=guessed')
    await operator.shows('This sign-in is over, or was begun in another tab; sign in again.')
    expect(operator.traffic.filter(({ method }) => method === 'POST')).toEqual([])
  })

  it.each([
    ['another site asks', {}, { 'sec-fetch-site': 'cross-site' }],
    ['another origin asks', {}, { origin: 'https://evil.example' }],
    ['the address is another page', { address: 'http://127.0.0.1/console/audit?code=x&state=s' }, {}],
    ['the address is none', { address: 'code' }, {}],
  ])('is refused when %s', async (_what, changed, headers) => {
    const { status, json } = await finish({ ...answered(), ...changed }, headers)
    expect([status, json.error?.code]).toEqual([403, 'cross_site_request'])
  })

  it.each([
    ['another state', () => answered('code=x&state=other'), /does not belong to this sign-in/],
    ['a used or invented code', () => answered(`code=x&state=s&iss=${provider.issuer}`), /invalid_grant/],
    ['no code verifier', () => ({ ...answered(), code_verifier: undefined }), /./],
  ])('is refused with %s', async (_what, body, message) => {
    const { status, json } = await finish(body())
    expect(status).toBe(400)
    expect(json.error!.message).toMatch(message)
  })

  it('leaves every other path protected by the token', async () => {
    const origin = gateway.privateOrigin
    for (const path of ['/ops/v1/overview', `${SIGN_IN}/`, `${SIGN_IN}/x`, '/ops/v1/Sign-in'])
      expect((await call(origin, path)).status).toBe(401)
    expect((await call(origin, SIGN_IN, { method: 'DELETE' })).status).toBe(405)
  })
})
