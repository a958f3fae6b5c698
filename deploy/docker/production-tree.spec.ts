import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { closureOf, writeTree } from './production-tree.mjs'
import { names } from './service-facts.mjs'

const root = join(import.meta.dirname, '../..')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, { dev?: boolean }>
}

describe('what an image of ours holds', () => {
  const has = (path: string) => path === 'node_modules/there'
  const closure = (packages: Record<string, object>) => closureOf('apps/one', packages, has)

  it('finds packages as Node does: the nearest folder first', () => {
    const found = closure({
      'apps/one': { dependencies: { near: '1', far: '1' } },
      'apps/one/node_modules/near': { dependencies: { far: '1' } },
      'node_modules/near': {},
      'node_modules/far': { dependencies: { nested: '1' } },
      'node_modules/far/node_modules/nested': { dependencies: { near: '1' } },
      'node_modules/other': {},
    })
    expect(found).toEqual([
      'apps/one',
      'apps/one/node_modules/near',
      'node_modules/far',
      'node_modules/far/node_modules/nested',
      'node_modules/near',
    ])
  })

  it('follows links to libraries, and leaves out what they need for their tests', () => {
    const found = closure({
      'apps/one': { dependencies: { '@own/lib': '*' }, devDependencies: { tests: '1' } },
      'node_modules/@own/lib': { link: true, resolved: 'libs/lib' },
      'libs/lib': { dependencies: { used: '1' }, devDependencies: { tests: '1' } },
      'node_modules/used': {},
      'node_modules/tests': {},
    })
    expect(found).toEqual(['apps/one', 'libs/lib', 'node_modules/@own/lib', 'node_modules/used'])
  })

  it('takes peers that are needed, and optional packages that are installed', () => {
    const found = closure({
      'apps/one': { dependencies: { host: '1' }, optionalDependencies: { there: '1', absent: '1' } },
      'node_modules/host': {
        peerDependencies: { peer: '1', perhaps: '1' },
        peerDependenciesMeta: { perhaps: { optional: true } },
      },
      'node_modules/peer': {},
      'node_modules/perhaps': {},
      'node_modules/there': {},
      'node_modules/absent': {},
    })
    expect(found).toEqual(['apps/one', 'node_modules/host', 'node_modules/peer', 'node_modules/there'])
  })

  it('names what the lock file lacks', () => {
    expect(() => closure({ 'apps/one': { dependencies: { lost: '1' } } })).toThrow('no lost, which apps/one needs')
    expect(() => closureOf('apps/two', {})).toThrow('there is no apps/two')
  })
})

// Six thousand files are copied for each.
const COPYING = 120_000

describe.each(names)('the image of %s', (name) => {
  let tree: string
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), `production-tree-${name}-`))
    writeTree(name, { packages: tree, code: tree })
  }, COPYING)
  afterAll(() => rmSync(tree, { recursive: true, force: true }))

  const started = (...args: string[]) =>
    spawnSync(process.execPath, args, { cwd: tree, env: {}, encoding: 'utf8', timeout: 20_000 })

  it('holds nothing that only development needs', () => {
    const packages = closureOf(`apps/${name}`, lock.packages)
    expect(packages.filter((path: string) => lock.packages[path]?.dev)).toEqual([])
    for (const absent of ['nx', 'redoc', 'typescript', 'jest', 'node']) {
      expect(packages).not.toContain(`node_modules/${absent}`)
    }
  })

  it('loads all of its code from there and says which settings it lacks', () => {
    const { status, stderr } = started('app/dist/main.js')
    expect(stderr).toContain('configuration: ')
    expect(stderr).toContain('DATABASE_URL is required')
    expect(status).toBe(1)
  })

  it('has the deploy steps', () => {
    expect(started('app/dist/migrate.js').stderr).toContain('configuration: DATABASE_URL is required')
    expect(started('libs/kafka/dist/create-topics.main.js').stderr).toContain(
      'configuration: KAFKA_BROKERS is required',
    )
  })
})
