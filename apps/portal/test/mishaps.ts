import type { WatchedPage } from '@connectivity/testing/watched-page'
import { API, type Running } from './portal-stack.js'

const UNREACHABLE = 'The service cannot be reached'

/** Tests of a bad line, and of unusual addresses and browsers. Their pages log errors, so they are not watched. */
export function describeMishaps(running: () => Running): void {
  const personAt = async (page: string): Promise<WatchedPage> => {
    const person = await running().portal.person()
    await person.goto(running().portal.at(page))
    return person
  }

  describe('without a network', () => {
    it('a change fails at once, and is not sent later', async () => {
      const person = await personAt('pilot')
      const sent: string[] = []
      person.page.on('request', (request) => void (request.method() === 'POST' && sent.push(request.url())))
      const dialog = person.page.getByRole('dialog')
      await person.press('Request production')
      await dialog.getByLabel('Contact name').fill('Ada')
      await person.page.context().setOffline(true)
      await dialog.getByRole('button', { name: 'Request production' }).click()
      await dialog.getByText(UNREACHABLE).waitFor({ timeout: 5_000 })
      expect(sent).toHaveLength(1)
      const again = person.page.waitForResponse((response) => response.url().includes(`${API}/properties`))
      await person.page.context().setOffline(false)
      await again
      expect(sent).toHaveLength(1)
      await person.close()
    })

    it('a page says so instead of loading for ever', async () => {
      const person = await personAt('')
      await person.heading('Aurora Guesthouse')
      await person.page.context().setOffline(true)
      await person.page.getByRole('link', { name: 'Pilot' }).first().click()
      await person.page.getByRole('alert').getByText(UNREACHABLE).first().waitFor({ timeout: 5_000 })
      await person.close()
    })
  })
}
