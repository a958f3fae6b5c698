#!/usr/bin/env node
// npm run screenshots [-- NAME…]: starts a stack of its own, fills it, and writes a picture of every page of the
// browser applications to docs/screenshots: light, dark, and as wide as a telephone. Names restrict it to some pages;
// the others are visited all the same, because they lead to them.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser } from '@connectivity/toolkit/browser'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { Refusal } from '../../deploy/local/bootstrap/machine/refusal.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { optionsOf } from '../../deploy/local/machine/options.ts'
import { consoleShots } from './console.ts'
import { fill, portalShots } from './portal.ts'

const HELP = `npm run screenshots                                    every page
npm run screenshots -- portal-mappings console-audit   these pages
`

/** How pages are pictured, by the ending of the file's name. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

const folder = join(root, 'docs/screenshots')

const shots = [...portalShots, ...consoleShots]
const names = shots.map(({ name }) => name)

async function takeAll(wanted: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await withOwnStack(async (demo) => {
    const browser = await startBrowser()
    await fill(demo)
    for (const [look, options] of Object.entries(looks)) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      for (const { name, show } of shots) {
        await show(page, demo)
        if (!wanted.includes(name)) continue
        await page.screenshot({ path: join(folder, `${name}-${look}.png`), animations: 'disabled' })
        process.stdout.write(`${name}-${look}.png\n`)
      }
      await context.close()
    }
    await browser.close()
  })
}

await run(async () => {
  const given = optionsOf({}, HELP, { allowPositionals: true })
  if (!given) return
  const unknown = given.positionals.filter((name) => !names.includes(name))
  if (unknown.length > 0) throw new Refusal(`No page is named ${unknown.join(', ')}. The pages: ${names.join(', ')}`)
  await takeAll(given.positionals.length > 0 ? given.positionals : names)
})
