#!/usr/bin/env node
// npm run screenshots [-- NAME…]: starts a stack of its own, fills it, and writes a picture of every page of the
// browser applications to docs/screenshots: light, dark, and as wide as a telephone. Names restrict it to some pages.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { startBrowser } from '@connectivity/toolkit/browser'
import { withOwnStack } from '@connectivity/toolkit/own-stack'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { consoleShots } from './console.ts'
import { portalShots } from './portal.ts'

/** How pages are pictured, by the ending of the file's name. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

const folder = join(root, 'docs/screenshots')

async function takeAll(wanted: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true })
  await withOwnStack(async (demo) => {
    const browser = await startBrowser()
    const all = [...(await portalShots(demo)), ...consoleShots(demo)]
    const shots = all.filter(({ name }) => wanted.length === 0 || wanted.includes(name))
    for (const [look, options] of Object.entries(looks)) {
      const context = await browser.newContext(options)
      const page = await context.newPage()
      for (const { name, show } of shots) {
        await show(page)
        await page.screenshot({ path: join(folder, `${name}-${look}.png`), animations: 'disabled' })
        process.stdout.write(`${name}-${look}.png\n`)
      }
      await context.close()
    }
    await browser.close()
  })
}

await takeAll(process.argv.slice(2))
