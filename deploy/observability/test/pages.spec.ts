import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './metrics.js'

const LINK = /\]\((?!https?:|#)([^)#]+)(?:#([\w-]+))?\)/g

const pages = [
  'deploy/kubernetes/README.md',
  ...readdirSync(join(ROOT, 'docs/operations'), { recursive: true })
    .map((name) => join('docs/operations', name as string))
    .filter((name) => name.endsWith('.md')),
]

/** Anchors as derived from headings. */
const anchorsOf = (page: string): string[] =>
  [...readFileSync(page, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  )

describe('pages for operators', () => {
  it.each(pages)('%s has no broken links', (page) => {
    const dead = [...readFileSync(join(ROOT, page), 'utf8').matchAll(LINK)]
      .map(([, path, anchor]) => ({ target: join(ROOT, dirname(page), path!), anchor }))
      .filter(
        ({ target, anchor }) => !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor)),
      )
    expect(dead).toEqual([])
  })

  it('are all in the index', () => {
    const index = readFileSync(join(ROOT, 'docs/operations/index.md'), 'utf8')
    const others = readdirSync(join(ROOT, 'docs/operations')).filter(
      (name) => name.endsWith('.md') && name !== 'index.md',
    )
    expect(others.filter((name) => !index.includes(`](${name})`))).toEqual([])
  })
})
