#!/usr/bin/env node
// npm run screenshots [-- NAME…]: starts a stack of its own, fills it, and writes a picture of every page of the browser
// applications to docs/screenshots: light, dark, and as wide as a telephone. Names restrict it to some pages.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { ready } from '../../deploy/local/bootstrap/machine/ready.mjs'
import { run } from '../../deploy/local/bootstrap/machine/run.mjs'
import { runAgain } from '../../deploy/local/bootstrap/processes/own-node.mjs'

/** How pages are pictured, by the ending of the file's name. */
const looks = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

const folder = join(root, 'docs/screenshots')

async function takeAll(wanted: readonly string[]): Promise<void> {
  const { startBrowser } = await import('@connectivity/toolkit/browser')
  const { withOwnStack } = await import('@connectivity/toolkit/own-stack')
  const { portalShots } = await import('./portal.ts')
  const { consoleShots } = await import('./console.ts')
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

await run(async () => {
  if (!(await ready({ parts: true }))) return runAgain()
  return takeAll(process.argv.slice(2))
})
