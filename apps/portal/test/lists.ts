import { eventually } from '@connectivity/testing/eventually'
import type { WatchedPage } from '@connectivity/testing/watched-page'
import { type Running, WINDOW } from './portal-stack.js'

/** Tests of lists and their filters. */
export function describeLists(running: () => Running): void {
  describe('a list', () => {
    let person: WatchedPage
    beforeAll(async () => {
      person = running().watched(await running().portal.person('developer', { viewport: WINDOW }))
    })
    afterAll(() => person?.close())

    it('announces the number of its rows, and why it has none, in one element that stays', async () => {
      await person.goto(running().portal.at('events'))
      const region = person.page.getByRole('status').filter({ hasText: /^[\d,]+ events?$/ })
      await region.waitFor()
      const kept = (await region.elementHandle())!
      await person.page.getByLabel('State').selectOption('failed')
      await eventually(async () => expect(await kept.innerText()).toBe('No event is in this state.'))
      await person.page.getByLabel('State').selectOption('')
      await eventually(async () => expect(await kept.innerText()).toMatch(/^[\d,]+ events?$/))
      expect(await person.page.getByRole('table', { name: 'Events' }).count()).toBe(1)
    })

    it('shows a filter of the address that is not an option', async () => {
      await person.goto('/portal?state=nope')
      await person.shows('No connection fits these filters.')
      expect(await person.page.getByLabel('State').inputValue()).toBe('nope')
    })
  })
}
