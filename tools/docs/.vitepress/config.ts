import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformerStyleToClass } from '@shikijs/transformers'
import { defineConfig } from 'vitepress'
import { anchorOf } from '../src/site/anchors.js'
import type { Audience, MenuEntry } from '../src/site/menu.js'
import { strictHtml, withoutApplication } from '../src/site/strict-html.js'

/** Written before each build: who it is for, and its menu. */
const { audience, menu } = JSON.parse(readFileSync(new URL('../dist/pages/site.json', import.meta.url), 'utf8')) as {
  audience: Audience
  menu: MenuEntry[]
}

const outDir = fileURLToPath(new URL(`../dist/site/${audience}`, import.meta.url))
const classes = transformerStyleToClass({ classPrefix: 'code-' })

function write(path: string, text: string): void {
  const file = join(outDir, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

export default defineConfig({
  title: 'Partner connectivity',
  description: 'The interface between property management systems or channel managers and our hotels.',
  lang: 'en',
  base: '/docs/',
  srcDir: `dist/pages/${audience}`,
  outDir,
  cleanUrls: true,
  metaChunk: true,
  // Written into a style element, which the pages' policy forbids.
  appearance: { disableTransition: false },
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify: anchorOf },
    codeTransformers: [classes],
  },
  themeConfig: {
    search: { provider: 'local' },
    sidebar: menu,
    outline: { level: [2, 3], label: 'On this page' },
    notFound: {
      title: 'Page not found',
      quote: 'There is no page at this address. Search for it, or start at the overview.',
      linkLabel: 'Overview',
      linkText: 'Overview',
    },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
  transformHtml(html, _file, { page }) {
    const strict = strictHtml(html, classes.getCSS(), write)
    return page === 'sign-in.md' ? withoutApplication(strict) : strict
  },
  vite: { logLevel: 'warn', build: { chunkSizeWarningLimit: 2_000 } },
})
