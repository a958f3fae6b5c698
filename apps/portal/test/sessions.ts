import { PAGES, type Running } from './portal-stack.js'

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
        new Set([`${running().portal.propertyId} null`]),
      )
    })
  })
}
