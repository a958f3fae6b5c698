import { chapters, REFERENCE } from './pages.js'
import type { ReferencePage } from './reference.js'

/** Readers of a build of the site: the public, or partners who have signed in. */
export type Audience = 'public' | 'full'

/** An entry of the menu, as VitePress takes it. */
export interface MenuEntry {
  text: string
  link?: string
  /** `_self` makes the browser ask the server: the page is not part of this build. */
  target?: '_self'
  items?: MenuEntry[]
}

const addressOf = (name: string): string => `/${name === 'index' ? '' : name}`

/** The menu beside every page. Without a session the reference is one entry, which leads to the sign-in. */
export function menuFor(audience: Audience, reference: readonly ReferencePage[]): MenuEntry[] {
  const guides = chapters.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page): MenuEntry => ({ text: page.title, link: addressOf(page.name) })),
  }))
  const calls: MenuEntry[] =
    audience === 'public'
      ? [{ text: `${REFERENCE.title} (sign in)`, link: REFERENCE.link, target: '_self' }]
      : reference.map(({ name, title }) => ({ text: title, link: `/reference${addressOf(name)}` }))
  const last = guides.at(-1)!
  return [...guides.slice(0, -1), { text: last.text, items: [...calls, ...last.items] }]
}
