import type { Route } from '@connectivity/toolkit/browser'
import { API, type Running } from './portal-stack.js'

const OVERFLOW = `getComputedStyle(document.querySelector('[role=region]')).overflowX`

/** Tests of what single pages tell screen readers, printers and people about their contents. */
export function describeSemantics(running: () => Running): void {
  describe('a page', () => {
    it('of a reservation is a list of its changes', async () => {
      const { portal, developer } = running()
      await developer.goto(portal.at('reservations/RSV-1120'))
      const list = developer.page.getByRole('list', { name: 'Timeline' })
      await list.getByRole('listitem').filter({ hasText: 'Entered the feed' }).first().waitFor()
    })

    it('of a reservation says that older entries are not shown', async () => {
      const { portal, developer } = running()
      const entry = { at: '2026-11-20T10:15:30.000Z', kind: 'stamped', updated_at: null, changes: null }
      const entries = new Array(1_000).fill({ ...entry, correlation_id: null, event_id: null, status: null })
      const call = `**${API}/reservations/RSV-1120/timeline?*`
      await developer.page.route(call, (route) => route.fulfill({ json: { entries } }))
      await developer.goto(portal.at('reservations/RSV-1120'))
      await developer.shows('Only the newest 1,000 entries are shown')
      await developer.page.unroute(call)
    })

    it('of availability names its table, and prints all its columns', async () => {
      const { portal, developer } = running()
      await developer.goto(portal.at('availability?month=2026-12'))
      await developer.page.getByRole('table', { name: 'Availability and rates of December 2026' }).waitFor()
      expect(await developer.page.evaluate(OVERFLOW)).toBe('auto')
      await developer.page.emulateMedia({ media: 'print' })
      expect(await developer.page.evaluate(OVERFLOW)).toBe('visible')
      expect(await developer.overflow()).toBe(0)
      await developer.page.emulateMedia({ media: null })
    })

    it('of a callback offers no Resume while operators suspend it', async () => {
      const { portal, developer } = running()
      const { operators } = portal.stack
      await operators.call('POST', `/callbacks/${portal.connectionId}/suspend`, {})
      await developer.goto(portal.at('callback'))
      await developer.shows('Operations have suspended this callback')
      expect(await developer.page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
      await operators.call('POST', `/callbacks/${portal.connectionId}/resume`, {})
    })

    it('of a callback shows no refusal of an earlier URL while the browser refuses the one that was typed', async () => {
      const { portal } = running()
      const person = await portal.person()
      await person.goto(portal.at('callback'))
      const url = person.page.getByLabel('URL', { exact: true })
      await url.fill('http://127.0.0.1:1/refused')
      await person.press('Save callback')
      const alert = person.page.getByRole('alert')
      await alert.getByText('The callback was not saved').waitFor()
      await url.fill('no address')
      await person.press('Save callback')
      await alert.waitFor({ state: 'detached' })
      await person.close()
    })

    it('of a connection in production asks for nothing that a pilot does', async () => {
      const { portal, developer } = running()
      const inProduction = async (route: Route) => {
        const response = await route.fetch({
          headers: { ...route.request().headers(), 'sec-fetch-site': 'same-origin' },
        })
        const { properties, ...more } = (await response.json()) as { properties: object[] }
        const json = { ...more, properties: properties.map((one) => ({ ...one, state: 'production' })) }
        await route.fulfill({ response, json })
      }
      const call = `**${API}/properties`
      await developer.page.route(call, inProduction)
      await developer.goto(portal.at('pilot'))
      await developer.shows('This connection is in production.')
      await developer.page.getByRole('table', { name: 'Checklist' }).waitFor()
      expect(await developer.page.getByRole('columnheader', { name: 'Next step' }).count()).toBe(0)
      expect(await developer.page.getByRole('button', { name: 'Request production' }).count()).toBe(0)
      await developer.page.unroute(call)
    })
  })
}
