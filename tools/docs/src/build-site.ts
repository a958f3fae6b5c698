import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import {
  examplesFolder,
  guidesFolder,
  operatorsFile,
  pagesFolder,
  signInSource,
  siteFolder,
  siteRoot,
  snapshotFile,
  vectorsFile,
} from './files.js'
import type { Document } from './openapi/model.js'
import { guidePage, guideText } from './site/guides.js'
import { languageModelsIndex } from './site/language-models.js'
import { type Audience, menuFor } from './site/menu.js'
import { chapters } from './site/pages.js'
import { referencePages } from './site/reference.js'

const vitepress = fileURLToPath(new URL('bin/vitepress.js', import.meta.resolve('vitepress/package.json')))
const names = chapters.flatMap(({ pages }) => pages.map(({ name }) => name))
const guide = (name: string): string => readFileSync(join(guidesFolder, `${name}.md`), 'utf8')
const description = JSON.parse(readFileSync(snapshotFile, 'utf8')) as Document
const reference = referencePages(description)

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Writes the pages that VitePress builds. */
function writePages(audience: Audience): void {
  const folder = join(pagesFolder, audience)
  for (const name of names) write(join(folder, `${name}.md`), guidePage(guide(name)))
  if (audience === 'public') copyFileSync(signInSource, join(folder, 'sign-in.md'))
  else for (const { name, markdown } of reference) write(join(folder, 'reference', `${name}.md`), markdown)
  write(join(pagesFolder, 'site.json'), JSON.stringify({ audience, menu: menuFor(audience, reference) }))
}

/** Adds the files that are served beside the pages. */
function writeFiles(folder: string): void {
  for (const name of names) write(join(folder, `${name}.md`), guideText(guide(name)))
  write(join(folder, 'llms.txt'), languageModelsIndex(guide))
  copyFileSync(vectorsFile, join(folder, 'vectors.json'))
  for (const example of ['pull-client', 'receiver']) {
    const files = readdirSync(join(examplesFolder, example)).filter((name) => name.endsWith('.mjs'))
    mkdirSync(join(folder, 'samples', example), { recursive: true })
    for (const name of files) copyFileSync(join(examplesFolder, example, name), join(folder, 'samples', example, name))
  }
}

const COMPRESSED = new Set(['.html', '.css', '.js', '.json', '.md', '.txt', '.svg', '.mjs'])
const LEAST_BYTES = 1024

/** Compresses once what the gateway serves often. */
function compress(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSED.has(extname(entry.name))) continue
    const path = join(entry.parentPath, entry.name)
    const text = readFileSync(path)
    if (text.length < LEAST_BYTES) continue
    writeFileSync(`${path}.br`, brotliCompressSync(text))
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }))
  }
}

for (const folder of [pagesFolder, siteFolder]) rmSync(folder, { recursive: true, force: true })
for (const audience of ['public', 'full'] as const) {
  writePages(audience)
  // A process for each: the second build in one process would render with the first one's modules.
  execFileSync(process.execPath, [vitepress, 'build', siteRoot], { stdio: 'inherit' })
  writeFiles(join(siteFolder, audience))
  compress(join(siteFolder, audience))
}
write(join(siteFolder, 'openapi.json'), JSON.stringify(description))
copyFileSync(operatorsFile, join(siteFolder, 'operators-openapi.json'))
