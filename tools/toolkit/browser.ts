import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'
import { environmentWith } from './config.ts'

export type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'

const PACKAGES = fileURLToPath(new URL('../../node_modules', import.meta.url))
const CACHE = join(PACKAGES, '.cache')
const { version } = JSON.parse(readFileSync(join(PACKAGES, '@sparticuz/chromium/package.json'), 'utf8')) as {
  version: string
}

/** Unpacks Chromium, its libraries and fonts to the temporary folder, as the package does on a machine without them. */
const UNPACK = "(await import('@sparticuz/chromium')).default.executablePath()"
const BARE_MACHINE = { AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' }

/** Nothing that leaves the machine; no sandbox, which a container's root may not have. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-sync']

const FONTS = 'fonts.xml'

/** The unpacked browser, shared by all suites: the first one unpacks, under a name of its own until it is complete. */
async function browserFolder(): Promise<string> {
  const folder = join(CACHE, `chromium-${version}`)
  if (existsSync(folder)) return folder
  mkdirSync(CACHE, { recursive: true })
  const fresh = mkdtempSync(join(CACHE, 'chromium-'))
  const env = environmentWith({ ...BARE_MACHINE, TMPDIR: fresh, NODE_OPTIONS: '' })
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], { env, cwd: CACHE })
  writeFileSync(join(fresh, FONTS), `<fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir></fontconfig>\n`)
  try {
    renameSync(fresh, folder)
  } catch {
    // Another suite was faster.
    rmSync(fresh, { recursive: true })
  }
  return folder
}

/** Starts a real Chromium, which comes from the npm registry with all that it needs. */
export async function startBrowser(): Promise<Browser> {
  const folder = await browserFolder()
  const env = environmentWith({ LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, FONTS) })
  const executablePath = join(folder, 'chromium')
  return chromium.launch({ executablePath, args: FLAGS, headless: true, env: env as Record<string, string> })
}
