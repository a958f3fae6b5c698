import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { assetsFolder, guidesFolder, siteFolder, snapshotFile, vectorsFile } from './files.js'
import { referencePage, textPage } from './site/layout.js'
import { chapters, REFERENCE } from './site/pages.js'
import { rendered } from './site/render.js'

const redoc = createRequire(import.meta.url).resolve('redoc/bundles/redoc.standalone.js')

/** The only file that Redoc would load from another host. */
const REDOC_LOGO = 'https://cdn.redoc.ly/redoc/logo-mini.svg'

const write = (name: string, text: string): void => writeFileSync(join(siteFolder, name), text)
const copy = (from: string, name: string): void => copyFileSync(from, join(siteFolder, name))

rmSync(siteFolder, { recursive: true, force: true })
mkdirSync(siteFolder, { recursive: true })
for (const page of chapters.flatMap(({ pages }) => pages)) {
  write(`${page.name}.html`, textPage(page, rendered(readFileSync(join(guidesFolder, `${page.name}.md`), 'utf8'))))
}
write(`${REFERENCE.name}.html`, referencePage())
write('openapi.json', JSON.stringify(JSON.parse(readFileSync(snapshotFile, 'utf8'))))
copy(vectorsFile, 'vectors.json')
for (const name of readdirSync(assetsFolder)) copy(join(assetsFolder, name), name)
write('redoc.standalone.js', readFileSync(redoc, 'utf8').replaceAll(REDOC_LOGO, 'data:,'))
