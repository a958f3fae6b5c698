import type { Route } from '@connectivity/toolkit/browser'
import { type ConsoleStack, OPS } from './console-stack.js'

/** Addresses with a filter that the interface refuses, and the filter's label. */
const FAULTY = [
  ['/dead-letters?service=nope', 'Service'],
  ['/production-requests?state=nope', 'State'],
  ['/?state=nope', 'State'],
] as const

/** Tests of bad answers. Their pages log errors, so they are not watched. */
export function describeMishaps(running: () => { morning: ConsoleStack }): void {
  describe('a dialog', () => {
    it('starts at its first field, keeps the focus after a lost answer, and makes its change once', async () => {
      const { page } = await running().morning.operator('/console/applications')
      const keys: (string | undefined)[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST') keys.push(request.headers()['idempotency-key'])
      })
      const dialog = page.getByRole('dialog')
      const confirm = dialog.getByRole('button', { name: 'New application', exact: true })
      const focusedButton = dialog.locator('button:focus', { hasText: 'New application' })
      await page.getByRole('button', { name: 'New application', exact: true }).click()
      await dialog.locator('input:focus').waitFor()
      await page.keyboard.type('Lost PMS')
      await dialog.getByLabel('Contact name').fill('Ada')
      await dialog.getByLabel('Contact e-mail').fill('ada@pms.example')
      await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill('signed contract')
      const loseAnswer = (route: Route) => route.fetch().then(() => route.abort())
      await page.route(`**${OPS}/applications`, loseAnswer, { times: 1 })
      await confirm.click()
      await dialog.getByRole('alert').waitFor()
      await focusedButton.waitFor()
      await page.evaluate('document.activeElement.click(); document.activeElement.click()')
      await page.getByRole('heading', { level: 1, name: 'Lost PMS' }).waitFor()
      expect(keys).toHaveLength(2)
      expect(keys[1]).toBe(keys[0])
      await page.getByRole('link', { name: 'Applications' }).click()
      await page.getByRole('link', { name: 'Lost PMS' }).waitFor()
      expect(await page.getByRole('link', { name: 'Lost PMS' }).count()).toBe(1)
      await page.context().close()
    })
  })

  describe('a change that is being sent', () => {
    it('keeps its dialog open, which shows a refusal', async () => {
      const { page } = await running().morning.operator('/console/applications')
      const dialog = page.getByRole('dialog')
      await page.getByRole('button', { name: 'New application', exact: true }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Slow PMS')
      await dialog.getByLabel('Contact name').fill('Ada')
      await dialog.getByLabel('Contact e-mail').fill('ada@pms.example')
      await dialog.getByRole('textbox', { name: 'Reason', exact: true }).fill('signed contract')
      let answer: (() => void) | undefined
      const held = new Promise<void>((resolve) => (answer = resolve))
      const refuse = (route: Route) => held.then(() => route.fulfill({ status: 503, json: {} }))
      await page.route(`**${OPS}/applications`, refuse, { times: 1 })
      await dialog.getByRole('button', { name: 'New application', exact: true }).click()
      await dialog.locator('button[aria-busy]').waitFor()
      await page.keyboard.press('Escape')
      await dialog.getByRole('button', { name: 'Close', exact: true }).click()
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click({ force: true })
      answer!()
      await dialog.getByRole('alert').waitFor()
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.context().close()
    })
  })

  it('a late refusal of an earlier token does not end a newer sign-in', async () => {
    const { page } = await running().morning.operator('/console')
    let answer: (() => void) | undefined
    const held = new Promise<void>((resolve) => (answer = resolve))
    const refusal = { status: 401, json: { error: { code: 'invalid_token', message: 'ended', correlation_id: 'x' } } }
    await page.route(`**${OPS}/audit?*`, (route) => held.then(() => route.fulfill(refusal)))
    await page.route(`**${OPS}/applications?*`, (route) => route.fulfill(refusal), { times: 1 })
    await page.getByRole('link', { name: 'Audit', exact: true }).click()
    await page.getByRole('link', { name: 'Applications', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.getByLabel('Operator token').fill(running().morning.demo.ops.read_token)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'detached' })
    const late = page.waitForResponse((response) => response.url().includes('/audit?') && response.status() === 401)
    answer!()
    await late
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Requests' }).waitFor()
    await page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
    expect(await again.count()).toBe(0)
    await page.context().close()
  })

  it('a list that has loaded more is read again', async () => {
    const { page } = await running().morning.operator('/console')
    let round = 0
    const pageOf = (isLast: boolean) => ({
      applications: [
        {
          ...{ application_id: `app_${isLast}`, name: `${isLast ? 'Last' : 'First'} ${round}`, state: 'approved' },
          ...{ contact: { name: 'Ada', email: 'ada@pms.example' }, created_at: '2026-11-20T10:15:30.000Z' },
        },
      ],
      pagination: { limit: 50, count: 1, has_more: !isLast, next_cursor: isLast ? null : 'next' },
    })
    const isLast = (route: Route) => new URL(route.request().url()).searchParams.has('cursor')
    await page.route(`**${OPS}/applications?*`, (route) => route.fulfill({ json: pageOf(isLast(route)) }))
    await page.clock.install()
    await page.getByRole('link', { name: 'Applications', exact: true }).click()
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('Last 0').waitFor()
    round = 1
    await page.clock.fastForward(31_000)
    await page.getByText('Last 1').waitFor()
    await page.context().close()
  })

  it('a filter says how a time is written', async () => {
    const { page } = await running().morning.operator('/console/audit')
    const from = page.getByLabel('From', { exact: true })
    await from.fill('yesterday')
    await page.getByRole('alert').waitFor()
    expect(await from.getAttribute('aria-invalid')).toBe('true')
    await page.getByText('Give a time with its zone').waitFor()
    await page.context().close()
  })

  it('a filter of requests or dead letters says what is wrong with it', async () => {
    const { page } = await running().morning.operator('/console/requests?status=7')
    const mark = (label: string) => page.getByLabel(label, { exact: true }).and(page.locator('[aria-invalid=true]'))
    await mark('Status').waitFor()
    for (const [path, label] of FAULTY) {
      await page.evaluate(`history.pushState(null, '', '/console${path}')`)
      await mark(label).waitFor()
    }
    await page.context().close()
  })

  it('a link whose session has expired cannot be revoked', async () => {
    const { morning } = running()
    const { page } = await morning.operator('/console')
    const past = '2026-11-20T10:15:30.000Z'
    const link = {
      ...{ portal_link_id: 'plk_1', email: 'ada@pms.example', role: 'viewer', created_at: past, expires_at: past },
      ...{ used_at: past, revoked_at: null },
      session: { started_at: past, last_seen_at: past, expires_at: past, ended_at: null },
    }
    const pagination = { limit: 50, count: 1, has_more: false, next_cursor: null }
    const answer = { portal_links: [link], pagination }
    await page.route(`**${OPS}/applications/*/portal-links?*`, (route) => route.fulfill({ json: answer }))
    const { application_id } = morning.demo.applications[0]!
    await page.evaluate(`history.pushState(null, '', '/console/applications/${application_id}')`)
    const row = page.getByRole('row', { name: 'ada@pms.example' })
    await row.waitFor()
    expect(await row.getByRole('button', { name: 'Revoke' }).count()).toBe(0)
    await row.getByRole('cell', { name: 'ended' }).waitFor()
    await page.context().close()
  })

  it('a dialog that asks for a new token, or for a reason, stays when something beside it is pressed', async () => {
    const { page } = await running().morning.operator('/console/applications')
    await page.getByRole('button', { name: 'New application', exact: true }).click()
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
    await name.fill('Beside PMS')
    await page.mouse.click(5, 500)
    await page.route(`**${OPS}/applications`, (route) => route.fulfill({ status: 401, json: {} }), { times: 1 })
    for (const label of ['Contact name', 'Contact e-mail', 'Reason'])
      await page.getByRole('dialog').getByLabel(label, { exact: true }).fill('ada@pms.example')
    await page.getByRole('dialog').getByRole('button', { name: 'New application', exact: true }).click()
    const again = page.getByRole('dialog', { name: 'Sign in again' })
    await again.waitFor()
    await page.mouse.click(5, 500)
    await page.keyboard.press('Escape')
    await again.getByLabel('Operator token').fill(running().morning.demo.ops.token)
    await again.getByRole('button', { name: 'Sign in', exact: true }).click()
    await again.waitFor({ state: 'detached' })
    expect(await name.inputValue()).toBe('Beside PMS')
    await page.context().close()
  })

  it('a connection that cannot be read has a page with a title, which tries again', async () => {
    const { morning } = running()
    const { property_id } = morning.stack.connection
    const { page } = await morning.operator('/console')
    await page.route(`**${OPS}/connections/${property_id}`, (route) => route.fulfill({ status: 503, json: {} }))
    await page.getByRole('link', { name: property_id }).click()
    await page.getByRole('heading', { level: 1, name: 'Connection', exact: true }).waitFor()
    expect(await page.title()).toBe('Connection')
    await page.unroute(`**${OPS}/connections/${property_id}`)
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('heading', { level: 1, name: property_id }).waitFor()
    await page.locator('h1:focus').waitFor()
    await page.context().close()
  })
}
