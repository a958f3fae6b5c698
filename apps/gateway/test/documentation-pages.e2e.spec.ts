import { jest } from '@jest/globals'
import { type Browser, type BrowserContextOptions, startBrowser } from '@connectivity/toolkit/browser'
import { WatchedPage } from '@connectivity/testing/watched-page'
import { GatewayUnderTest } from './gateway-under-test.js'
import type { SigningKey } from './partner.js'

const NARROW = { viewport: { width: 360, height: 740 } }
const PAGES = ['/docs', '/docs/quick-start', '/docs/errors', '/docs/sign-in', '/docs/none']
const PROTECTED = ['/docs/reference/', '/docs/reference/production']

/** Pages load their scripts and, when the machine is busy, slowly. */
jest.setTimeout(150_000)

let gateway: GatewayUnderTest
let browser: Browser
let key: SigningKey
beforeAll(async () => {
  ;[gateway, browser] = await Promise.all([new GatewayUnderTest().start(), startBrowser()])
  key = await gateway.signingKey(await gateway.pilotConnection(await gateway.approvedApplication()))
  await gateway.untilServed(() => gateway.partner(key).get('/properties'))
})
afterAll(async () => {
  await browser?.close()
  await gateway?.stop()
})

const open: WatchedPage[] = []
afterEach(async () => {
  for (const page of open.splice(0)) await page.close()
})

async function visit(path: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const origin = gateway.publicOrigin
  const watched = await WatchedPage.open(browser, { origin, api: '/docs' }, { baseURL: origin, ...options })
  open.push(watched)
  await watched.page.goto(path, { waitUntil: 'networkidle' })
  return watched
}

async function signIn({ page }: WatchedPage, secret = key.signing_secret): Promise<void> {
  await page.getByLabel('Key id or client id').fill(key.key_id)
  await page.getByLabel('Secret').fill(secret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForLoadState('networkidle')
}

/** Signed in, at the first page of the reference. */
async function reader(options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const watched = await visit('/docs/reference/', options)
  await signIn(watched)
  return watched
}

/** Errors of a page. Chromium reports every refusal as an error of the console. */
const complaints = ({ errors, violations, foreign }: WatchedPage): string[] => [
  ...errors.filter((text) => !text.includes('status of 401')),
  ...violations,
  ...foreign,
]

describe.each([
  ['light', {}],
  ['dark', NARROW],
] as const)('the pages in a %s theme, on a screen of %p', (colorScheme, size) => {
  it('have no severe findings of axe, no errors and no horizontal scrolling', async () => {
    const watched = await reader({ colorScheme, ...size })
    for (const path of [...PAGES, ...PROTECTED]) {
      await watched.page.goto(path)
      expect([path, await watched.inaccessible()]).toEqual([path, []])
      expect([path, await watched.overflow()]).toEqual([path, 0])
    }
    expect(complaints(watched)).toEqual([])
  })
})

describe('a reader', () => {
  it('comes from the bare address to the guides, and finds a page by its words', async () => {
    const watched = await visit('/')
    const { page } = watched
    expect(new URL(page.url()).pathname).toMatch(/^\/docs\/?$/)
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').waitFor()
    await page.keyboard.type('checkpoint')
    const results = page.locator('#localsearch-list a')
    await results.first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/\w/)
    await page
      .locator('main')
      .filter({ hasText: /checkpoint/i })
      .waitFor()
    expect(complaints(watched)).toEqual([])
  })

  it('reads a call in the language of choice, and copies it', async () => {
    const watched = await visit('/docs/quick-start', { permissions: ['clipboard-read', 'clipboard-write'] })
    const { page } = watched
    const group = page.locator('.vp-code-group').first()
    for (const language of ['curl', 'Python', 'PHP', 'Node', 'Java', 'C#']) {
      expect(await group.getByText(language, { exact: true }).count()).toBe(1)
    }
    await group.getByText('Python', { exact: true }).click()
    const block = group.locator('div.active')
    expect(await block.textContent()).toContain('signature_headers("GET", path)')
    await block.hover()
    await block.getByRole('button', { name: /copy/i }).click()
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^path = "\/api\/connectivity\/v1\//)
    expect(complaints(watched)).toEqual([])
  })

  it('goes on to the next page, and jumps to a heading', async () => {
    const { page } = await visit('/docs/quick-start')
    await page.getByRole('link', { name: /^Next/ }).click()
    await page.waitForURL('**/docs/signing')
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Golden vectors' }).click()
    await page.waitForURL('**/docs/signing#golden-vectors')
  })

  it('reaches everything by keyboard', async () => {
    const { page } = await visit('/docs/quick-start')
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    const group = page.locator('.vp-code-group').first()
    await group.locator('input').first().focus()
    await page.keyboard.press('ArrowRight')
    expect(await group.locator('div.active').textContent()).toContain('signature_headers')
  })

  it('keeps the chosen appearance after a reload', async () => {
    const watched = await visit('/docs', { colorScheme: 'light' })
    const { page } = watched
    const isDark = () => page.evaluate("document.documentElement.classList.contains('dark')")
    expect(await isDark()).toBe(false)
    await page.getByRole('switch').first().click()
    expect(await isDark()).toBe(true)
    await page.reload({ waitUntil: 'networkidle' })
    expect(await isDark()).toBe(true)
    expect(complaints(watched)).toEqual([])
  })

  it('sees that a page does not exist', async () => {
    const { page } = await visit('/docs/none')
    expect(await page.locator('main, #app').first().textContent()).toContain('Page not found')
    expect(await page.getByRole('link', { name: /partner connectivity/i }).count()).toBeGreaterThan(0)
  })
})

describe('a partner', () => {
  it('signs in on the way to a page of the reference, after a wrong secret', async () => {
    const watched = await visit('/docs/reference/events')
    const { page } = watched
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Sign in')
    await signIn(watched, 'wrong')
    expect(await page.getByRole('alert').textContent()).toMatch(/secret/)
    expect(await page.getByLabel('Key id or client id').inputValue()).toBe(key.key_id)
    await signIn(watched)
    expect(new URL(page.url()).pathname).toBe('/docs/reference/events')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Events')
    expect(complaints(watched)).toEqual([])
  })

  it('sees every call in the menu and finds it by search; a stranger is asked to sign in', async () => {
    const { page } = await reader()
    await page.getByRole('navigation').getByRole('link', { name: 'Production', exact: true }).first().click()
    await page.waitForURL('**/docs/reference/production')
    await page.keyboard.press('Control+k')
    await page.locator('#localsearch-input').waitFor()
    await page.keyboard.type('rotate the callback secret')
    await page.locator('#localsearch-list a', { hasText: 'Rotate the callback secret' }).first().waitFor()
    const stranger = await visit('/docs')
    await stranger.page.getByRole('link', { name: 'All calls (sign in)' }).first().click()
    await stranger.page.waitForURL(/\/docs\/sign-in\?next=/)
  })
})
