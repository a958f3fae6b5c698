#!/usr/bin/env node
// node deploy/docker/production-tree.mjs <app> <folder>: what the app's image holds, of an installed and built
// repository: <folder>/packages, the npm packages it needs, and <folder>/code, the app and its libraries.
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
const UNUSED_BUILDS = { typeorm: ['browser'] }

/** Files that an app serves in addition to its own code. */
const SERVED = { gateway: ['deploy/docs/dist/site'] }

/** `apps/x/node_modules/a/node_modules/b` → the folders in which Node looks for a package from there, nearest first. */
function* placesFrom(path) {
  const parts = path.split('/')
  for (let depth = parts.length; depth >= 0; depth--) {
    if (parts[depth - 1] !== 'node_modules') yield [...parts.slice(0, depth), 'node_modules'].join('/')
  }
}

/** The packages' keys in the lock file that `path` needs to run; optional ones only when `has` says they are there. */
function needsOf(path, locked, has) {
  const { dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta } = locked[path]
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta?.[name]?.optional)
  const find = (name) => [...placesFrom(path)].map((place) => `${place}/${name}`).find((key) => key in locked)
  const required = [...Object.keys(dependencies ?? {}), ...peers].map((name) => {
    const key = find(name)
    if (!key) throw new Error(`package-lock.json has no ${name}, which ${path} needs`)
    return key
  })
  return [
    ...required,
    ...Object.keys(optionalDependencies ?? {})
      .map(find)
      .filter((key) => key && has(key)),
  ]
}

/**
 * Finds everything that an app needs to run.
 * @param {string} app folder of the app: `apps/gateway`
 * @param {Record<string, object>} locked `packages` of package-lock.json
 * @param {(path: string) => boolean} has whether an optional package is installed
 * @returns {string[]} keys of `locked`: folders of the app and its libraries, links to these, and npm packages
 */
export function closureOf(app, locked, has = (path) => existsSync(join(root, path))) {
  if (!(app in locked)) throw new Error(`there is no ${app} in package-lock.json`)
  const found = new Set([app])
  for (const path of found) {
    const { link, resolved } = locked[path]
    for (const key of link ? [resolved] : needsOf(path, locked, has)) found.add(key)
  }
  return [...found].sort()
}

function isUsed(packageFolder, file) {
  const inside = relative(packageFolder, file)
  if (inside === '') return true
  const top = inside.split('/')[0]
  const unusedBuild = UNUSED_BUILDS[basename(packageFolder)]?.includes(top)
  return top !== 'node_modules' && !UNUSED_FOLDERS.includes(top) && !unusedBuild && !UNUSED_FILE.test(file)
}

/** Copies the runtime files of a package; packages in its own node_modules folder are copied separately. */
export function copyPackage(from, into) {
  cpSync(from, into, { recursive: true, filter: (file) => isUsed(from, file) })
}

function copyProject(path, into) {
  for (const part of ['package.json', 'dist']) cpSync(join(root, path, part), join(into, part), { recursive: true })
}

/**
 * Writes the tree of `apps/<name>`; in the image the app's folder is `app`.
 * @param {string} name
 * @param {{ packages: string, code: string }} folders where the packages and the code go, which may be the same
 * @param {(from: string, into: string) => void} [placePackage]
 */
export function writeTree(name, { packages, code }, placePackage = copyPackage) {
  const app = `apps/${name}`
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
  const placeOf = (path) => path.replace(app, 'app')
  for (const path of closureOf(app, locked)) {
    const place = placeOf(path)
    if (!path.includes('node_modules/')) copyProject(path, join(code, place))
    else if (!locked[path].link) placePackage(join(root, path), join(packages, place))
    else link(join(packages, place), relative(dirname(place), placeOf(locked[path].resolved)))
  }
  for (const path of SERVED[name] ?? []) cpSync(join(root, path), join(code, path), { recursive: true })
  cpSync(join(root, 'deploy/docker/healthcheck.mjs'), join(code, 'healthcheck.mjs'))
}

function link(place, target) {
  mkdirSync(dirname(place), { recursive: true })
  symlinkSync(target, place)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [name, folder] = process.argv.slice(2)
  if (!name || !folder) throw new Error('usage: production-tree.mjs <app> <folder>')
  writeTree(name, { packages: join(folder, 'packages'), code: join(folder, 'code') })
}
