// openapi-generator, fetched with Maven.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../deploy/local/bootstrap/config.mjs'
import { runProgram } from './commands.ts'

const POM = join(import.meta.dirname, 'pom.xml')
const DESCRIPTION = join(root, 'docs/openapi.json')
/** Folder in which clients are generated and their packages are kept. */
export const CACHE = join(root, 'node_modules/.cache/clients')
/** Generated files that a client's code does not need. */
const LEFT_OUT = 'apiTests=false,modelTests=false,apiDocs=false,modelDocs=false'

const jarFolder = (): string =>
  join(CACHE, `generator-${createHash('sha256').update(readFileSync(POM)).digest('hex').slice(0, 12)}`)

/** Fetches the generator that pom.xml names, once. */
export async function fetchGenerator(): Promise<void> {
  const folder = jarFolder()
  if (existsSync(folder)) return
  mkdirSync(CACHE, { recursive: true })
  const aside = `${folder}-${process.pid}`
  try {
    await runProgram('mvn', ['-B', '-q', '-Dstyle.color=never', '-f', POM, `-Dinto=${aside}`, 'package'])
    renameSync(aside, folder)
  } finally {
    rmSync(aside, { recursive: true, force: true })
  }
}

/** Generates a client from docs/openapi.json. @returns its folder, emptied before */
export async function generate(language: string, options: readonly string[]): Promise<string> {
  const folder = join(CACHE, language)
  rmSync(folder, { recursive: true, force: true })
  const jar = join(jarFolder(), 'openapi-generator-cli.jar')
  const what = ['generate', '-g', language, '-i', DESCRIPTION, '-o', folder, '--global-property', LEFT_OUT]
  await runProgram('java', ['-jar', jar, ...what, ...options])
  return folder
}
