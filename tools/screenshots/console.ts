// The operators' console, page by page, after the partner portal's stack has been filled.
import type { Page } from '@connectivity/toolkit/browser'
import type { HandOver } from '@connectivity/toolkit/hand-over'
import type { Shot } from './portal.ts'

const settled = (page: Page) => page.locator('[aria-busy]').first().waitFor({ state: 'detached' })

/** A page that is reached by a link of the page before. */
const follow = (shot: string, link: string): Shot => ({
  name: `console-${shot}`,
  show: async (page) => {
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: link, exact: true }).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
  },
})

const signInShots = ({ ops }: HandOver): Shot[] => [
  {
    name: 'console-sign-in',
    show: async (page) => {
      await page.goto(`${new URL(ops.base_url).origin}/console`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
  },
  {
    name: 'console-overview',
    show: async (page) => {
      await page.getByLabel('Operator token').fill(ops.token)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await settled(page)
    },
  },
]

/** The pictures are taken in this order: the token stays in the page, so the others are reached by its links. */
export function consoleShots(demo: HandOver): Shot[] {
  const { name, connections } = demo.applications[0]!
  return [
    ...signInShots(demo),
    follow('connection', connections[0]!.property_id),
    { name: 'console-move', show: (page) => page.getByRole('button', { name: 'Move to…' }).click() },
    follow('applications', 'Applications'),
    follow('application', name),
    follow('production-requests', 'Production requests'),
    follow('dead-letters', 'Dead letters'),
    follow('requests', 'Requests'),
    follow('audit', 'Audit'),
  ]
}
