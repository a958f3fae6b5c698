import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { guidesFolder, snapshotFile } from '../src/files.js'
import type { Document } from '../src/openapi/model.js'
import { sampleLanguages } from '../src/site/call-samples.js'
import { guidePage } from '../src/site/guides.js'
import { referencePages } from '../src/site/reference.js'
import { strictHtml } from '../src/site/strict-html.js'
import { FIRST_PAGE, programOf } from './samples/call-programs.js'
import { blocksOf } from './programs.js'

const guide = (name: string): string => readFileSync(join(guidesFolder, `${name}.md`), 'utf8')
const document = JSON.parse(readFileSync(snapshotFile, 'utf8')) as Document
const pages = referencePages(document)

describe('the samples of calls', () => {
  it.each(sampleLanguages.filter(({ name }) => name !== 'sh').map((language) => [language.title, language] as const))(
    'are those of the guide to signing: %s',
    (_title, language) => {
      expect(programOf(language, FIRST_PAGE)).toBe(blocksOf(guide('signing'), language.name)[0])
    },
  )

  it('come in six languages with every call of the reference and of the quick start', () => {
    const calls = Object.values(document.paths).flatMap((methods) => Object.values(methods))
    const groups = pages.map(({ markdown }) => markdown.match(/::: code-group\n\n```sh \[curl\]/g)?.length ?? 0)
    expect(groups.reduce((sum, count) => sum + count)).toBe(calls.length)
    expect(guidePage(guide('quick-start')).match(/```csharp \[C#\]/g)!.length).toBeGreaterThan(5)
  })

  it('need no command for an idempotency key that the quick start does not need', () => {
    const shown = [
      ...readdirSync(guidesFolder).map((name) => guide(name.replace('.md', ''))),
      ...pages.map(({ markdown }) => markdown),
    ]
    const made = shown.flatMap((text) =>
      [...text.matchAll(/(?:KEY=|Idempotency-Key: )\$\((\w+)/g)].map(([, command]) => command),
    )
    expect(made.length).toBeGreaterThan(5)
    expect(new Set(made)).toEqual(new Set(['openssl']))
  })

  it('show the programs of the guide to signing in tabs', () => {
    const page = guidePage(guide('signing'))
    for (const title of ['Node', 'Python', 'PHP', 'C#', 'Java']) expect(page).toContain(`[${title}]\n`)
    expect(page.match(/::: code-group/g)).toHaveLength(1)
  })
})

describe('the pages of the reference', () => {
  it('name every call, and every field of every body', () => {
    const all = pages.map(({ markdown }) => markdown).join('\n')
    for (const methods of Object.values(document.paths)) {
      for (const { operationId } of Object.values(methods)) expect(all).toContain(`{#${operationId}}`)
    }
    for (const field of ['`updates[].rates[].amount`', '`reservations[].accommodation[].occupancy.adults`']) {
      expect(all).toContain(field)
    }
  })
})

describe('a strict page', () => {
  it('keeps its scripts and styles in files', () => {
    const files = new Map<string, string>()
    const given = '<head><script id="x">one()</script></head><p style="color: red" class="a">text</p>'
    const page = strictHtml(given, '.a{}', (path, text) => files.set(path, text))
    expect(page).toMatch(
      /^<head><script src="\/docs\/(assets\/inline\.[0-9a-f]{8}\.js)"><\/script><link rel="stylesheet" href="\/docs\/(assets\/code\.[0-9a-f]{8}\.css)"><\/head><p class="a">text<\/p>$/,
    )
    expect([...files.values()].sort()).toEqual(['.a{}', 'one()'])
  })
})
