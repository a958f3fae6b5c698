#!/usr/bin/env node
// node deploy/docker/production-tree.ts <app> <folder>: writes the content of the app's image from an installed and
// built repository: the npm packages it needs to <folder>/packages, the app and its libraries to <folder>/code.
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Types, sources, source maps, tests and documents of third-party packages. */
const UNUSED_FILE = /\.(?:[cm]?ts|map|flow)$/
const UNUSED_FOLDERS = [
  'test',
  'tests',
  'spec',
  'specs',
  'docs',
  'doc',
  'example',
  'examples',
  'bench',
  'benchmark',
  'benchmarks',
]
/** Builds of a package for platforms other than Node, by far its largest part. */
const UNUSED_BUILDS: Record<string, string[]> = { typeorm: ['browser'] }

/** Files that an app serves in addition to its own code. */
const SERVED: Record<string, string[]> = { gateway: ['tools/docs/dist/site', 'apps/portal/dist', 'apps/console/dist'] }

/** Wanted versions by package name. */
type Wanted = Record<string, string>

/** Entry of package-lock.json: a folder of this repository, a link to one, or an npm package. */
interface LockedPackage {
  dependencies?: Wanted
  devDependencies?: Wanted
  optionalDependencies?: Wanted
  peerDependencies?: Wanted
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
  /** Needed for development only. */
  dev?: boolean
  link?: boolean
  /** Target folder of a link. */
  resolved?: string
}

/** `packages` of package-lock.json, by folder. */
export type LockedPackages = Record<string, LockedPackage>

/** Folders for an image's content; both may be the same. */
interface TreeFolders {
  packages: string
  code: string
}

/** `apps/x/node_modules/a/node_modules/b` → the folders in which Node looks for a package from there, nearest first. */
function* placesFrom(path: string): Generator<string> {
  const parts = path.split('/')
  for (let depth = parts.length; depth >= 0; depth--) {
    if (parts[depth - 1] !== 'node_modules') yield [...parts.slice(0, depth), 'node_modules'].join('/')
  }
}

function lockedAt(path: string, locked: LockedPackages): LockedPackage {
  const found = locked[path]
  if (!found) throw new Error(`package-lock.json has no ${path}: run npm install`)
  return found
}

/** Target folder of a link; undefined for other entries. */
const targetOf = ({ link, resolved }: LockedPackage): string | undefined => (link ? resolved : undefined)

/** Lock file keys of the packages that `path` needs to run; optional ones only when `has` finds them installed. */
function needsOf(path: string, locked: LockedPackages, has: (path: string) => boolean): string[] {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = lockedAt(path, locked)
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  const find = (name: string) => [...placesFrom(path)].map((place) => `${place}/${name}`).find((key) => key in locked)
  const required = [...Object.keys(dependencies ?? {}), ...peers].map((name) => {
    const key = find(name)
    if (!key) throw new Error(`package-lock.json has no ${name}, which ${path} needs: run npm install`)
    return key
  })
  return [
    ...required,
    ...Object.keys(optionalDependencies ?? {})
      .map(find)
      .filter((key): key is string => key !== undefined && has(key)),
  ]
}

/**
 * Finds everything that an app needs to run.
 * @param app folder of the app: `apps/gateway`
 * @param has whether an optional package is installed
 * @returns keys of `locked`: folders of the app and its libraries, links to these, and npm packages
 */
export function closureOf(
  app: string,
  locked: LockedPackages,
  has = (path: string): boolean => existsSync(join(root, path)),
): string[] {
  if (!(app in locked)) throw new Error(`there is no ${app} in package-lock.json: check its name`)
  const found = new Set([app])
  for (const path of found) {
    const target = targetOf(lockedAt(path, locked))
    for (const key of target === undefined ? needsOf(path, locked, has) : [target]) found.add(key)
  }
  return [...found].sort()
}

function isUsed(packageFolder: string, file: string): boolean {
  const inside = relative(packageFolder, file)
  if (inside === '') return true
  const [top = ''] = inside.split('/')
  const unusedBuild = UNUSED_BUILDS[basename(packageFolder)]?.includes(top)
  return top !== 'node_modules' && !UNUSED_FOLDERS.includes(top) && !unusedBuild && !UNUSED_FILE.test(file)
}

/** Copies the runtime files of a package; packages in its own node_modules folder are copied separately. */
export function copyPackage(from: string, into: string): void {
  cpSync(from, into, { recursive: true, filter: (file) => isUsed(from, file) })
}

function copyProject(path: string, into: string): void {
  for (const part of ['package.json', 'dist']) cpSync(join(root, path, part), join(into, part), { recursive: true })
}

/** Writes the tree of `apps/<name>`; in the image the app's folder is `app`. */
export function writeTree(name: string, { packages, code }: TreeFolders, placePackage = copyPackage): void {
  const app = `apps/${name}`
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: LockedPackages }
  const locked = lock.packages
  const placeOf = (path: string) => path.replace(app, 'app')
  for (const path of closureOf(app, locked)) {
    const place = placeOf(path)
    const target = targetOf(lockedAt(path, locked))
    if (!path.includes('node_modules/')) copyProject(path, join(code, place))
    else if (target === undefined) placePackage(join(root, path), join(packages, place))
    else link(join(packages, place), relative(dirname(place), placeOf(target)))
  }
  for (const path of SERVED[name] ?? []) cpSync(join(root, path), join(code, path), { recursive: true })
  cpSync(join(root, 'deploy/docker/healthcheck.mjs'), join(code, 'healthcheck.mjs'))
}

function link(place: string, target: string): void {
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(target, place)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, folder] = process.argv.slice(2)
  if (!name || !folder) throw new Error('usage: production-tree.ts <app> <folder>')
  writeTree(name, { packages: join(folder, 'packages'), code: join(folder, 'code') })
}
