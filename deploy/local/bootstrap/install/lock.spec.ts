// Replaces the checks of `npm ci`, which refuses a lock file without the packages of other platforms.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

interface Package {
  version?: string
  integrity?: string
  resolved?: string
  link?: true
  optional?: true
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))
const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as Package
const packagesOf = (file: string) =>
  (JSON.parse(readFileSync(join(ROOT, file), 'utf8')) as { packages: Record<string, Package> }).packages

const locked = packagesOf('package-lock.json')
const own = Object.keys(locked).filter((path) => !path.startsWith('node_modules/') && !path.includes('/node_modules/'))
const fetched = Object.entries(locked).filter(([path, { link }]) => !own.includes(path) && !link)

describe('package-lock.json', () => {
  it.each(own)('asks for the same packages as package.json in "%s"', (folder) => {
    const { dependencies, devDependencies } = read(join(folder, 'package.json'))
    expect({ dependencies, devDependencies }).toEqual({
      dependencies: locked[folder]!.dependencies,
      devDependencies: locked[folder]!.devDependencies,
    })
  })

  it('has a checksum of every package, and no address to fetch it from', () => {
    const unchecked = fetched.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'))
    expect(unchecked.map(([path]) => path)).toEqual([])
    expect(fetched.filter(([, { resolved }]) => resolved !== undefined)).toEqual([])
  })

  it('matches node_modules, except for packages of other platforms', () => {
    const installed = packagesOf('node_modules/.package-lock.json')
    const described = ({ version, integrity }: Package) => `${version} ${integrity}`
    const differing = Object.entries(installed).filter(
      ([path, found]) => !found.link && (!locked[path] || described(found) !== described(locked[path])),
    )
    expect(differing.map(([path]) => path)).toEqual([])
    const missing = fetched.filter(([path, { optional }]) => !optional && !(path in installed))
    expect(missing.map(([path]) => path)).toEqual([])
  })
})
