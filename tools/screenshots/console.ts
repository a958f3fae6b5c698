// The operators' console, page by page, after the partner portal's stack has been filled.
import type { Page } from '@connectivity/toolkit/browser'
import type { HandOver } from '@connectivity/toolkit/hand-over'
import type { Shot } from './portal.ts'

const settled = (page: Page) => page.locator('[aria-busy]').first().waitFor({ state: 'detached' })

/** A page that is reached by a link of the page before. */
const follow = (shot: string, link: string | ((demo: HandOver) => string)): Shot => ({
  name: `console-${shot}`,
  show: async (page, demo) => {
    await page.keyboard.press('Escape')
    const name = typeof link === 'string' ? link : link(demo)
    await page.getByRole('link', { name, exact: true }).first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled(page)
  },
})

const signInShots: readonly Shot[] = [
  {
    name: 'console-sign-in',
    show: async (page, { ops }) => {
      await page.goto(`${new URL(ops.base_url).origin}/console`)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    },
  },
  {
    name: 'console-overview',
    show: async (page, { ops }) => {
      await page.getByLabel('Operator token').fill(ops.token)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      await settled(page)
    },
  },
]

/** Pictures in the order in which they are taken: the token stays in the page, and links lead to the others. */
export const consoleShots: readonly Shot[] = [
  ...signInShots,
  follow('connection', ({ applications }) => applications[0]!.connections[0]!.property_id),
  { name: 'console-move', show: (page) => page.getByRole('button', { name: 'Move to…' }).click() },
  follow('applications', 'Applications'),
  follow('application', ({ applications }) => applications[0]!.name),
  follow('production-requests', 'Production requests'),
  follow('dead-letters', 'Dead letters'),
  follow('requests', 'Requests'),
  follow('audit', 'Audit'),
]
