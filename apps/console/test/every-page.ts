import type { WatchedPage } from '@connectivity/testing/watched-page'
import type { ConsoleStack } from './console-stack.js'

export const WINDOW = { width: 1280, height: 900 }
const PHONE = { width: 360, height: 740 }
const PAGES = ['', '/applications', '/production-requests', '/dead-letters', '/requests', '/audit'].map(
  (path) => `/console${path}`,
)

/** State that the parts of the suite share. */
interface Running {
  morning: ConsoleStack
  /** Registers a page whose errors and traffic are checked at the end. */
  watched: (page: WatchedPage) => WatchedPage
}

/** Tests of every page of the console. */
export function describeEveryPage(running: () => Running): void {
  describe('every page', () => {
    it.each([
      ['light', WINDOW],
      ['dark', PHONE],
    ] as const)(
      'is accessible in a %s theme and fits its window, %p',
      async (colorScheme, viewport) => {
        for (const path of [...PAGES, `/console/connections/${running().morning.stack.connection.property_id}`]) {
          const person = running().watched(await running().morning.operator(path, { colorScheme, viewport }))
          await person.page.locator('[aria-busy]').first().waitFor({ state: 'detached' })
          expect([path, await person.inaccessible()]).toEqual([path, []])
          expect([path, await person.overflow()]).toEqual([path, 0])
          await person.close()
        }
      },
      180_000,
    )

    it('breaks the contact of an application that has no spaces', async () => {
      const contact = { name: 'Partner'.repeat(28), email: 'ada@pms.example' }
      const wanted = { name: 'PMS', contact }
      const { operators } = running().morning.stack
      const { application_id } = await operators.call<{ application_id: string }>('POST', '/applications', wanted)
      const path = `/console/applications/${application_id}`
      const person = running().watched(await running().morning.operator(path, { viewport: PHONE }))
      await person.shows(contact.name)
      expect(await person.overflow()).toBe(0)
      await person.close()
    })

    it.each([
      ['applications/app_nosuch', 'Application not found'],
      ['connections/con_nosuch', 'Connection not found'],
    ])('says that %s does not exist', async (path, title) => {
      const person = running().watched(await running().morning.operator(`/console/${path}`))
      await person.heading(title)
      await person.shows('does not exist')
      await person.close()
    })

    it('says that a page does not exist, and asks for a token again after a reload', async () => {
      const person = running().watched(await running().morning.operator('/console/nowhere'))
      await person.shows('This page does not exist')
      await person.page.reload()
      await person.heading('Sign in')
      await person.close()
    })
  })
}
