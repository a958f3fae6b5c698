import type { WatchedPage } from '@connectivity/testing/watched-page'
import { eventually } from '@connectivity/testing/eventually'
import { type Running, WINDOW } from './portal-stack.js'

const SAVED = /^Saved$/

/** Tests of the fields for external ids. */
export function describeMappingFields(running: () => Running): void {
  describe('a mapping field', () => {
    let person: WatchedPage
    const field = (name: string) => person.page.getByLabel(name, { exact: true })
    const saved = () => person.shows(SAVED)
    const marked = () => person.page.locator('[aria-invalid=true]').count()

    beforeAll(async () => {
      person = running().watched(await running().portal.person('developer', { viewport: WINDOW }))
      await person.goto(running().portal.at('mappings'))
    })
    afterAll(() => person?.close())

    it('shows why its id was refused, until another one is typed', async () => {
      await field('Twin Room').fill('SAME')
      await field('Family Room').fill('SAME')
      const answer = person.page.waitForResponse((response) => response.request().method() === 'POST')
      await person.press('Save mappings')
      const { error } = (await (await answer).json()) as { error: { message: string; correlation_id: string } }
      const alert = person.page.getByRole('alert')
      for (const text of [error.message, error.correlation_id]) await alert.getByText(text, { exact: true }).waitFor()
      expect(await marked()).toBe(2)
      const ids = (await field('Twin Room').getAttribute('aria-describedby'))!.trim().split(/\s+/)
      const texts = await Promise.all(ids.map((id) => person.page.locator(`[id="${id}"]`).innerText()))
      expect(texts.join(' ')).toContain('is taken by another room')
      expect(await person.inaccessible()).toEqual([])
      await field('Family Room').fill('FAM')
      await eventually(async () => expect(await marked()).toBe(1))
      await person.press('Save mappings')
      await saved()
      expect(await marked()).toBe(0)
    })

    it('holds an id of 128 characters outside the basic plane, and says that 129 are too many', async () => {
      await field('Twin Room').fill('🛏'.repeat(129))
      await person.press('Save mappings')
      await person.page.getByRole('alert').waitFor()
      expect(await marked()).toBe(1)
      const sent = person.page.waitForRequest((request) => request.method() === 'POST')
      await field('Twin Room').fill('🛏'.repeat(128))
      await person.press('Save mappings')
      const { mappings } = (await sent).postDataJSON() as { mappings: { external_id: string }[] }
      expect(mappings.map(({ external_id }) => external_id)).toEqual(['🛏'.repeat(128)])
      await saved()
    })

    it('conflicts with what another person has saved since it was typed, although that is shown', async () => {
      const other = running().watched(await running().portal.person('developer'))
      await other.goto(running().portal.at('mappings'))
      await field('Single Room').fill('mine')
      await other.page.getByLabel('Single Room', { exact: true }).fill('theirs')
      await other.page.getByLabel('Family Room', { exact: true }).fill('theirs too')
      await other.press('Save mappings')
      await other.shows(SAVED)
      await eventually(async () => {
        await person.page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)
        expect(await field('Family Room').inputValue()).toBe('theirs too')
      })
      await person.press('Save mappings')
      await person.press('Load again')
      await eventually(async () => expect(await person.page.getByRole('alert').count()).toBe(0))
      expect(await field('Single Room').inputValue()).toBe('mine')
      await person.shows('now theirs')
      await person.press('Save mappings')
      await saved()
      await other.close()
    })

    it('is saved with Enter', async () => {
      await field('Twin Room').fill('TWN')
      await field('Twin Room').press('Enter')
      await saved()
      await person.page.reload()
      await eventually(async () => expect(await field('Twin Room').inputValue()).toBe('TWN'))
    })
  })
}
