import { jest } from '@jest/globals'
import { type Browser, startBrowser } from '@connectivity/toolkit/browser'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { GatewayUnderTest } from './gateway-under-test.js'
import { IdentityProvider } from './identity-provider.js'
import { call } from './partner.js'

/** Pages load slowly when the machine is busy. */
jest.setTimeout(90_000)

/** Longer than a page takes to react, ms. */
const SHORTLY = 500

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

  it('says that the provider does not answer, and asks it again', async () => {
    const operator = await visit('/console')
    await operator.press('Sign in')
    await operator.shows(`It has to allow requests from ${gateway.privateOrigin}.`)
    await provider.serve(`${gateway.privateOrigin}/console/callback`)
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
  })

  it('lets the pages of the console connect to the provider, and to no other origin', async () => {
    const { headers } = await fetch(`${gateway.privateOrigin}/console`)
    expect(headers.get('content-security-policy')).toContain(`connect-src 'self' ${provider.issuer};`)
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
    const fetched = operator.foreign.filter((url) => /\/token$|\/\.well-known\//.test(url))
    const metadata = `${provider.issuer}/.well-known/openid-configuration`
    expect(fetched).toEqual([metadata, metadata, `${provider.issuer}/token`])
    expect(provider.asked.filter((path) => path === '/token')).toHaveLength(1)
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
    await operator.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
    await operator.page.waitForTimeout(SHORTLY)
    await operator.shows(/refused this sign-in \(access_denied\)/)
    await operator.press('Sign in')
    await operator.page.waitForURL(`${provider.issuer}/**`)
  })

  it('signs in again in a window, and keeps what was typed', async () => {
    const operator = await visit('/console/applications')
    const { page } = operator
    await operator.press('Sign in')
    await page.waitForURL(`${provider.issuer}/**`)
    await authenticate(operator)
    await operator.heading('Applications')
    await operator.press('New application')
    for (const name of ['Name', 'Contact name', 'Contact e-mail', 'Reason'])
      await page.getByRole('textbox', { name, exact: true }).fill('ada@pms.example')
    await page.route('**/ops/v1/applications', (route) => route.fulfill({ status: 401, json: {} }), { times: 1 })
    await page.getByRole('dialog').getByRole('button', { name: 'New application', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.waitFor()
    const [window] = await Promise.all([
      page.waitForEvent('popup'),
      again.getByRole('button', { name: 'Sign in', exact: true }).click(),
    ])
    await Promise.all([again.waitFor({ state: 'detached' }), window.waitForEvent('close')])
    expect(await page.getByRole('textbox', { name: 'Name', exact: true }).inputValue()).toBe('ada@pms.example')
    expect(operator.violations).toEqual([])
  })

  it('takes no answer that another tab or an attacker began', async () => {
    const operator = await visit('/console/callback?code=stolen&state=guessed')
    await operator.shows('This sign-in is over, or was begun in another tab; sign in again.')
    expect(operator.foreign).toEqual([])
  })

  it('takes no answer with another state, and asks for no token', async () => {
    const asked = provider.asked.length
    const operator = await visit('/console')
    const begun = JSON.stringify({ state: 's', verifier: 'v'.repeat(43), page: '/' })
    await operator.page.evaluate(`sessionStorage.setItem('console-sign-in', '${begun}')`)
    await operator.goto('/console/callback?code=stolen&state=guessed')
    await operator.shows('The answer of the identity provider does not belong to this sign-in; sign in again.')
    expect(provider.asked.slice(asked)).not.toContain('/token')
  })

  it('leaves no path of the interface open', async () => {
    for (const path of ['/ops/v1/overview', '/ops/v1/sign-in', '/ops/v1/x'])
      expect((await call(gateway.privateOrigin, path)).status).toBe(401)
  })
})
