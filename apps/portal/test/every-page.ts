import type { WatchedPage } from '@connectivity/testing/watched-page'
import { describeIdleConnections } from './idle-connections.js'
import { describeLongNames } from './long-names.js'
import { PAGES, PHONE, type Running, WINDOW } from './portal-stack.js'

/** Notes the opacity that a dialog has when it appears. */
const NOTE_OPACITY = `new MutationObserver(() => {
  const dialog = document.querySelector('[role=dialog]')
  if (dialog) window.opacity ??= getComputedStyle(dialog).opacity
}).observe(document.body, { childList: true, subtree: true })`

/** Keeps a page from asking again after a time: on a busy machine it may not be complete by then. */
const NO_REFRESH = 'window.setInterval = () => 0'

/** Tests of every page of the portal. */
export function describeEveryPage(running: () => Running): void {
  describe('every page', () => {
    const shownPages = () => ['/portal', '/portal/requests', ...PAGES.map((page) => running().portal.at(page))]
    const settled = (person: WatchedPage) => person.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })

    it.each(['light', 'dark'] as const)(
      'passes axe in %s',
      async (colorScheme) => {
        const person = running().watched(await running().portal.person('developer', { colorScheme, viewport: WINDOW }))
        for (const page of [...shownPages(), '/portal/nowhere']) {
          await person.goto(page)
          await person.page.getByRole('heading', { level: 1 }).waitFor()
          await settled(person)
          expect([page, await person.inaccessible()]).toEqual([page, []])
        }
        await person.close()
      },
      120_000,
    )

    it('fits into 360 px', async () => {
      const person = running().watched(await running().portal.person('developer', { viewport: PHONE }))
      for (const page of shownPages()) {
        await person.goto(page)
        await person.page.getByRole('heading', { level: 1 }).waitFor()
        await settled(person)
        expect([page, await person.overflow()]).toEqual([page, 0])
      }
      await person.close()
    }, 90_000)

    describeLongNames(running)
    describeIdleConnections(running)

    it('opens a dialog without fading', async () => {
      const person = running().watched(await running().portal.person())
      await person.goto(running().portal.at('callback'))
      await person.page.evaluate(NOTE_OPACITY)
      await person.press('Rotate secret')
      await person.page.getByRole('dialog').waitFor()
      expect(await person.page.evaluate('window.opacity')).toBe('1')
      await person.close()
    })

    it('asks for nothing twice when it is opened', async () => {
      const person = running().watched(await running().portal.person())
      await person.page.addInitScript(NO_REFRESH)
      for (const page of shownPages()) {
        await person.page.goto('about:blank')
        const before = person.traffic.length
        await person.goto(page)
        await person.page.getByRole('heading', { level: 1 }).waitFor()
        await settled(person)
        // A page asks again for what a busy stack has refused.
        const answered = person.traffic.slice(before).filter(({ status }) => status < 500)
        const asked = answered.map(({ target }) => target)
        expect([page, asked.filter((target, index) => asked.indexOf(target) < index)]).toEqual([page, []])
      }
      await person.close()
    }, 60_000)

    it('is reached with the keyboard alone', async () => {
      const person = running().watched(await running().portal.open({ viewport: WINDOW }))
      const { keyboard } = person.page
      const tabTo = async (name: string) => {
        await person.page.locator('a, button').filter({ hasText: name }).first().waitFor()
        for (let presses = 0; presses < 40; presses++) {
          await keyboard.press('Tab')
          const focused = await person.page.locator('a:focus, button:focus').allInnerTexts()
          if (focused[0]?.includes(name)) return
        }
        throw new Error(`${name} cannot be reached`)
      }
      await person.page.goto((await running().portal.link('developer')).url)
      await person.heading('Sign in')
      await tabTo('Sign in')
      await keyboard.press('Enter')
      await person.heading('Connections')
      await tabTo('Aurora Guesthouse')
      await keyboard.press('Enter')
      await person.heading('Aurora Guesthouse')
      await tabTo('Events')
      await keyboard.press('Enter')
      await person.heading('Events')
      await tabTo('created')
      await keyboard.press('Enter')
      await person.shows('"type": "reservation.created"')
      await person.goto(running().portal.at('callback'))
      await tabTo('Rotate secret')
      await keyboard.press('Enter')
      await person.page.getByRole('dialog').waitFor()
      await keyboard.press('Escape')
      await person.page.getByRole('dialog').waitFor({ state: 'detached' })
      await person.page.locator('button:focus', { hasText: 'Rotate secret' }).waitFor()
      await person.close()
    }, 90_000)

    it('says so when the address names no page, no connection, or one that is not the application’s', async () => {
      await running().developer.goto('/portal/nowhere')
      await running().developer.shows('This page does not exist')
      await running().developer.goto(`/portal/connections/${running().portal.stack.otherConnection.property_id}`)
      await running().developer.shows('not assigned to you')
    })

    it('of availability has a row for every room and plan, and says so when there are none', async () => {
      const { portal, developer } = running()
      await developer.goto(portal.at('availability'))
      for (const name of ['Twin Room', 'Non-refundable']) {
        await developer.page.getByRole('rowheader', { name }).first().waitFor()
      }
      const { application_id } = portal.stack.demo.applications[0]!
      const wanted = { application_id, source_property_id: 'no-catalog', external_property_id: 'EMPTY' }
      const empty = await portal.stack.operators.connect(wanted)
      await developer.goto(`/portal/connections/${empty}/availability`)
      await developer.shows('There are no rooms or rate plans yet')
    })
  })
}
