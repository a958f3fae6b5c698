import { eventually } from '@connectivity/testing/eventually'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import { API, PAGES, type Running } from './portal-stack.js'

/** Notes every h1 that the page shows from now on. */
const NOTE_TITLES = `new MutationObserver(() => {
  const title = document.querySelector('h1')
  if (title) (window.titles ??= []).push(title.textContent)
}).observe(document.body, { childList: true, subtree: true, characterData: true })`

/** What a browser reports when a person comes back to a tab. */
const COME_BACK = `dispatchEvent(new Event('visibilitychange'))`

interface Audit {
  entries: { action: string; subject: string; reason: null }[]
}

/** Tests of the rights that a session gives, and of its end. */
export function describeSessions(running: () => Running): void {
  describe('a session', () => {
    it('of a viewer has no buttons for changes', async () => {
      const viewer = running().watched(await running().portal.person('viewer'))
      for (const page of PAGES) {
        await viewer.goto(running().portal.at(page))
        await viewer.page.getByRole('heading', { level: 1 }).waitFor()
        await viewer.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
        const buttons = await viewer.page.getByRole('button').allInnerTexts()
        expect(buttons.filter((name) => /Save|Send|Rotate|Resume|Replay|Request/.test(name))).toEqual([])
      }
      await viewer.close()
    }, 60_000)

    it('ends by signing out, and nothing of it is shown any more', async () => {
      const person = running().watched(await running().portal.person())
      await person.goto(running().portal.at('events'))
      await person.heading('Events')
      await person.press('Sign out')
      await person.heading('Sign in')
      expect(await person.page.getByText('Aurora').count()).toBe(0)
      await person.page.goBack()
      await person.heading('Sign in')
      await person.close()
    }, 90_000)

    it('ends with its link: the open page asks to sign in', async () => {
      const person = running().watched(await running().portal.open())
      const { url, portal_link_id } = await running().portal.link('developer')
      await person.page.goto(url)
      await person.press('Sign in')
      await person.heading('Connections')
      await person.goto(running().portal.at('callback'))
      await person.heading('Callback')
      await running().portal.stack.operators.call('POST', `/portal-links/${portal_link_id}/revoke`, {})
      await person.heading('Sign in')
      await person.close()
    }, 90_000)

    it.each([
      ['a link', ({ page }: WatchedPage) => page.getByRole('link', { name: 'Mappings' }).first().click()],
      ['Back', ({ page }: WatchedPage) => page.goBack()],
    ])('ends with its link: %s shows nothing that was read before', async (_, move) => {
      const person = running().watched(await running().portal.open())
      const { url, portal_link_id } = await running().portal.link('developer')
      await person.page.goto(url)
      await person.press('Sign in')
      await person.page.getByRole('link', { name: 'Aurora Guesthouse' }).click()
      await person.heading('Aurora Guesthouse')
      await running().portal.stack.operators.call('POST', `/portal-links/${portal_link_id}/revoke`, {})
      const asked = `fetch('${API}/auth/health').then(({ status }) => status)`
      await eventually(async () => expect(await person.page.evaluate(asked)).toBe(401))
      await person.page.evaluate(NOTE_TITLES)
      await move(person)
      await person.heading('Sign in')
      expect(new Set(await person.page.evaluate<string[]>('window.titles'))).toEqual(new Set(['Sign in']))
      await person.close()
    })

    it('begins with the link that was opened last in the tab, also after a reload', async () => {
      const { portal, watched } = running()
      const person = watched(await portal.open())
      const [first, second] = await Promise.all([portal.link('developer'), portal.link('developer')])
      await portal.stack.operators.call('POST', `/portal-links/${first.portal_link_id}/revoke`, {})
      await person.page.goto(first.url)
      await person.press('Sign in')
      await person.page.getByRole('alert').waitFor()
      await person.page.goto(second.url)
      await eventually(async () => expect(await person.page.getByRole('alert').count()).toBe(0))
      expect(new URL(person.page.url()).hash).toBe('')
      await person.page.reload()
      await person.press('Sign in')
      await person.heading('Connections')
      expect(await person.page.evaluate('history.state')).toBeNull()
      await person.close()
    })

    it('keeps what was typed for the next session of the same person', async () => {
      const { portal, watched } = running()
      const person = watched(await portal.open())
      const { url, portal_link_id } = await portal.link('developer')
      await person.page.goto(url)
      await person.press('Sign in')
      await person.heading('Connections')
      await person.goto(portal.at('mappings'))
      const field = person.page.getByLabel('Single Room', { exact: true })
      await field.fill('unsaved')
      await portal.stack.operators.call('POST', `/portal-links/${portal_link_id}/revoke`, {})
      await person.press('Save mappings')
      await person.heading('Sign in')
      await person.shows('What you have typed and not saved stays in this tab')
      const other = await person.page.context().newPage()
      await other.goto((await portal.link('developer')).url)
      await other.getByRole('button', { name: 'Sign in' }).click()
      await other.getByRole('heading', { level: 1, name: 'Connections' }).waitFor()
      await person.page.evaluate(COME_BACK)
      await person.heading('Mappings')
      expect(await field.inputValue()).toBe('unsaved')
      await person.press('Sign out')
      await person.heading('Sign in')
      expect(await person.page.getByText('What you have typed').count()).toBe(0)
      await person.close()
    }, 90_000)

    it('of another application shows nothing that was read in the last one', async () => {
      const { portal } = running()
      const person = running().watched(await portal.person())
      const rows = person.page.getByRole('row').filter({ hasText: 'Aurora Guesthouse' })
      await rows.first().waitFor()
      const other = await person.page.context().newPage()
      await other.goto((await portal.link('developer', 1)).url)
      await other.getByRole('button', { name: 'Sign in' }).click()
      await other.getByRole('heading', { level: 1, name: 'Connections' }).waitFor()
      for (const name of ['Requests', 'Connections']) {
        await person.page.getByRole('link', { name, exact: true }).first().click()
        await person.heading(name)
      }
      expect(await rows.count()).toBe(0)
      await person.page.getByRole('row').nth(1).waitFor()
      expect(await rows.count()).toBe(0)
      await person.close()
    }, 90_000)

    it('says some minutes before its end that it ends', async () => {
      const person = await running().portal.person()
      expect(await person.page.getByText('Your session ends').count()).toBe(0)
      const session_expires_at = new Date(Date.now() + 10 * 60_000).toISOString()
      await person.page.route(`**${API}/auth/health`, async (route) => {
        const response = await route.fetch({
          headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' },
        })
        await route.fulfill({ response, json: { ...((await response.json()) as object), session_expires_at } })
      })
      await person.page.reload()
      await person.page.getByRole('status').getByText('Your session ends').waitFor()
      await person.close()
    })

    it('leaves an audit entry of every change under the e-mail', async () => {
      const { operators } = running().portal.stack
      const { entries } = await operators.call<Audit>('GET', '/audit?actor=ada@pms.example&limit=100')
      expect(new Set(entries.map(({ action }) => action))).toEqual(
        new Set([
          'POST /properties/{id}/mappings',
          'PUT /properties/{id}/callback',
          'POST /properties/{id}/callback/test',
          'POST /reservations/events/replay',
          'POST /production/request',
        ]),
      )
      expect(new Set(entries.map(({ subject, reason }) => `${subject} ${reason}`))).toEqual(
        new Set([`${running().portal.connectionId} null`]),
      )
    })
  })
}
