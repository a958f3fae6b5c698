import type { Route } from '@connectivity/toolkit/browser'
import { type ConsoleStack, OPS } from './console-stack.js'

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
