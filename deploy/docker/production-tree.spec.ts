import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { closureOf, copyPackage, type LockedPackages } from './production-tree.ts'
import { names } from './service-facts.ts'

const root = join(import.meta.dirname, '../..')
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: LockedPackages }

describe('the content of an image', () => {
  const has = (path: string) => path === 'node_modules/there'
  const closure = (packages: LockedPackages) => closureOf('apps/one', packages, has)

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

  it('follows links to libraries, and leaves out their test dependencies', () => {
    const found = closure({
      'apps/one': { dependencies: { '@own/lib': '*' }, devDependencies: { tests: '1' } },
      'node_modules/@own/lib': { link: true, resolved: 'libs/lib' },
      'libs/lib': { dependencies: { used: '1' }, devDependencies: { tests: '1' } },
      'node_modules/used': {},
      'node_modules/tests': {},
    })
    expect(found).toEqual(['apps/one', 'libs/lib', 'node_modules/@own/lib', 'node_modules/used'])
  })

  it('includes required peers, and optional packages that are installed', () => {
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

  it('names packages that the lock file lacks', () => {
    expect(() => closure({ 'apps/one': { dependencies: { lost: '1' } } })).toThrow('no lost, which apps/one needs')
    expect(() => closureOf('apps/two', {})).toThrow('there is no apps/two')
  })
})

it('copyPackage copies only the runtime files of a package', () => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'))
  const files = ['package.json', 'LICENSE.md', 'lib/index.js', 'lib/test/used.js']
  const unused = ['lib/index.d.ts', 'lib/index.js.map', 'test/index.js', 'docs/index.md', 'node_modules/own/index.js']
  for (const file of [...files, ...unused]) {
    mkdirSync(dirname(join(folder, 'from', file)), { recursive: true })
    writeFileSync(join(folder, 'from', file), '')
  }
  copyPackage(join(folder, 'from'), join(folder, 'into'))
  const copied = readdirSync(join(folder, 'into'), { recursive: true, withFileTypes: true }).filter((file) =>
    file.isFile(),
  )
  const paths = copied.map(({ parentPath, name }) => relative(join(folder, 'into'), join(parentPath, name)))
  expect(paths.sort()).toEqual(files.sort())
  rmSync(folder, { recursive: true })
})

describe.each(names)('the image of %s', (name) => {
  const packages = closureOf(`apps/${name}`, lock.packages)

  it('holds no packages for development', () => {
    expect(packages.filter((path) => lock.packages[path]?.dev)).toEqual([])
    for (const absent of ['nx', 'vitepress', 'typescript', 'jest', 'node']) {
      expect(packages).not.toContain(`node_modules/${absent}`)
    }
  })
})
