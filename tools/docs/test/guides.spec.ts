import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseBookingEvent } from '@connectivity/contracts/booking-events'
import type { RowKind } from '@connectivity/contracts/digest'
import { bucketOf, DigestSum } from '@connectivity/contracts/digest-sum'
import { type ErrorCode, errorStatus } from '@connectivity/contracts/errors'
import { parsePropertyEvent } from '@connectivity/contracts/property-events'
import { signatureHints } from '@connectivity/contracts/signature-hints'
import { bodyHash, signRequest } from '@connectivity/signing'
import { operatorsOnly } from '../src/errors/explained.js'
import { errorsGuide, guidesFolder, operatorsErrors } from '../src/files.js'
import { chapters } from '../src/site/pages.js'
import { anchorOf } from '../src/site/anchors.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const guides = readdirSync(guidesFolder).map((name) => join(guidesFolder, name))
const read = (file: string): string => readFileSync(file, 'utf8')

const withoutCode = (markdown: string): string => markdown.replace(/^```[\s\S]*?^```/gm, '')

const anchorsOf = (file: string): string[] =>
  [...withoutCode(read(file)).matchAll(/^#{2,6} (.*)$/gm)].map(([, heading]) => anchorOf(heading!))

/** Broken links of a file. */
function brokenLinks(file: string): string[] {
  const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  return links.filter((target) => {
    if (/^https?:/.test(target)) return false
    const [path, anchor] = target.split('#') as [string, string | undefined]
    const linked = path === '' ? file : join(dirname(file), path)
    return !existsSync(linked) || (anchor !== undefined && !anchorsOf(linked).includes(anchor))
  })
}

describe('every document', () => {
  const others = [
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'docs/booking-engine.md',
    'docs/glossary.md',
  ]
  const decisions = readdirSync(join(root, 'docs/decisions')).map((name) => `docs/decisions/${name}`)
  const documents = [...[...others, ...decisions].map((file) => join(root, file)), ...guides]

  it.each(documents.map((file) => [file.slice(root.length), file]))('has no broken links: %s', (_name, file) => {
    expect(brokenLinks(file)).toEqual([])
  })

  it.each(documents.map((file) => [file.slice(root.length), file]))('is merged: %s', (_name, file) => {
    expect(read(file)).not.toMatch(/^\s*(<{7}|>{7})( |$)/m)
  })

  it('has its place in the menu of the site', () => {
    const listed = chapters.flatMap(({ pages }) => pages.map(({ name }) => join(guidesFolder, `${name}.md`)))
    expect(guides.filter((file) => !listed.includes(file))).toEqual([])
  })
})

describe('the guide to errors', () => {
  const explains = (code: string) => new RegExp(`^\\| \`${code}\` +\\| \\S.+ \\| \\S.+ \\|$`, 'm')

  it.each(Object.keys(errorStatus) as ErrorCode[])('explains %s on the page of its readers', (code) => {
    const [page, other] = operatorsOnly.has(code) ? [operatorsErrors, errorsGuide] : [errorsGuide, operatorsErrors]
    expect(read(page)).toMatch(explains(code))
    expect(read(other)).not.toMatch(explains(code))
  })
})

describe('the guide to signing', () => {
  it.each(Object.keys(signatureHints))('explains the hint %s', (hint) => {
    expect(read(join(guidesFolder, 'signing.md'))).toMatch(
      new RegExp(`^\\| \`${hint}\` +\\| \\S.+ \\| \\S.+ \\|$`, 'm'),
    )
  })
})

describe('the golden vectors', () => {
  const guide = read(join(guidesFolder, 'signing.md'))
  const [, secret, timestamp] = /Signing secret `(\S+)`, timestamp `(\d+)`/.exec(guide)!
  const block = /```text\n(GET [\s\S]*?)```/.exec(guide)![1]!
  const vectors = block.trim().split('\n\n')

  it.each(vectors)('match the hashes and signatures of the service: %s', (vector) => {
    const [, method, path] = /^(\S+) ([^\s?]+)/.exec(vector)!
    const field = (name: string) => new RegExp(`^${name} +(.*)$`, 'm').exec(vector)?.[1]
    const hash = bodyHash(Buffer.from(field('body(?! hash)') ?? ''))
    expect(field('body hash')).toBe(hash)
    const signed = { method: method!, path: path!, timestamp: timestamp!, bodyHash: hash }
    expect(field('signature')).toBe(signRequest(secret!, signed))
  })
})

describe('the golden vectors of digests', () => {
  const guide = read(join(guidesFolder, 'proving.md'))
  const block = /```text\n(no rows[\s\S]*?)```/.exec(guide)![1]!
  const [empty, ...vectors] = block.trim().split('\n\n')

  it('match the service, row by row', () => {
    const sum = new DigestSum()
    expect(empty).toBe(`no rows\ndigest ${sum.digest()}`)
    expect(vectors).not.toEqual([])
    for (const vector of vectors) {
      const [, updatedAt, kind, id] = /^(\S+) (reservation|problem) (\S+)\n/.exec(vector)!
      sum.add(updatedAt!, kind as RowKind, id!)
      const element = hash('sha256', `${updatedAt}\n${kind}\n${id}`, 'hex')
      const lines = [`bucket ${bucketOf(id!)}`, `element ${element}`, `digest ${sum.digest()}`]
      expect(vector.split('\n').slice(1)).toEqual(lines)
    }
  })
})

describe('the booking engine’s contract', () => {
  const parsers: Record<string, (value: Uint8Array) => object> = {
    'booking.reservations.v1': (value) => parseBookingEvent(value).booking,
    'booking.properties.v1': parsePropertyEvent,
  }
  const blocks = [...read(join(root, 'docs/booking-engine.md')).matchAll(/```json (\S+)\n([\s\S]*?)```/g)]
  const examples = blocks.map(([, topic, text]) => [topic!, text!] as const)

  it('has examples for both topics', () => {
    expect(new Set(examples.map(([topic]) => topic))).toEqual(new Set(Object.keys(parsers)))
  })

  it.each(examples)('has examples that the parser of %s accepts without losing a field', (topic, text) => {
    const { data } = JSON.parse(text) as { data: object }
    expect(parsers[topic]!(Buffer.from(text))).toMatchObject(data)
  })
})
