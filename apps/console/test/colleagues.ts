import type { Page } from '@connectivity/toolkit/browser'
import type { ConsoleStack } from './console-stack.js'

/** Longer than the interval at which a page is read again, ms. */
const A_WHILE = 16_000
/** Time for the answers that a page has asked for, ms. */
const ANSWERED = 1_000

interface Limits {
  limits: Record<'feed', { per_minute: number; burst: number }>
}

/** Tests of two operators who change the same thing. */
export function describeColleagues(running: () => { morning: ConsoleStack }): void {
  /** Opens a page whose clock the test can move. */
  const visit = async (path: string): Promise<Page> => {
    const { page } = await running().morning.operator('/console')
    await page.clock.install()
    await page.evaluate(`history.pushState(null, '', '/console${path}')`)
    return page
  }
  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
  const wait = async (page: Page) => {
    await page.clock.fastForward(A_WHILE)
    await page.waitForTimeout(ANSWERED)
  }

  describe('a dialog, after a colleague was faster,', () => {
    it('stays when its row goes, and keeps the reason after the refusal', async () => {
      const { morning } = running()
      const id = await morning.deadLetter(999_998, 'two operators')
      const page = await visit('/dead-letters')
      const dialog = page.getByRole('dialog')
      await page.getByRole('row', { name: 'two operators' }).getByRole('button').click()
      await press(page, 'Replay')
      const reason = dialog.getByLabel('Reason', { exact: true })
      await reason.fill('the booking engine reports a fix')
      await morning.stack.operators.call('POST', `/dead-letters/reservation-feed/${id}/discard`, {})
      await wait(page)
      expect(await reason.inputValue()).toBe('the booking engine reports a fix')
      await dialog.getByRole('button', { name: 'Replay', exact: true }).click()
      await dialog.getByRole('alert').waitFor()
      expect(await reason.inputValue()).toBe('the booking engine reports a fix')
      await press(page, 'Cancel')
      await page.getByRole('row', { name: 'two operators' }).first().waitFor({ state: 'detached' })
      await page.context().close()
    })

    it('stays when its button goes, which shows once it is closed', async () => {
      const { operators } = running().morning.stack
      const id = await operators.createApplication('Two operators')
      const page = await visit(`/applications/${id}`)
      await press(page, 'Suspend')
      const reason = page.getByRole('dialog').getByLabel('Reason', { exact: true })
      await reason.fill('the contract has ended')
      await operators.call('POST', `/applications/${id}/suspend`, {})
      await wait(page)
      expect(await reason.inputValue()).toBe('the contract has ended')
      await press(page, 'Cancel')
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      await page.context().close()
    })

    it('changes only the limits that were typed', async () => {
      const { operators } = running().morning.stack
      const id = await operators.createApplication('Two operators and a limit')
      const page = await visit(`/applications/${id}`)
      const dialog = page.getByRole('dialog')
      await press(page, 'Change limits')
      await dialog.getByLabel('Feed burst', { exact: true }).fill('77')
      await operators.call('PUT', `/applications/${id}/limits`, { limits: { feed: { per_minute: 1_234, burst: 50 } } })
      await wait(page)
      await dialog.getByLabel('Reason', { exact: true }).fill('too many calls')
      await dialog.getByRole('button', { name: 'Change limits', exact: true }).click()
      await dialog.waitFor({ state: 'detached' })
      const { limits } = await operators.call<Limits>('GET', `/applications/${id}`)
      expect(limits.feed).toEqual({ per_minute: 1_234, burst: 77 })
      await page.getByText('1,234 a minute, 77 at once').waitFor()
      await page.context().close()
    })
  })
}
