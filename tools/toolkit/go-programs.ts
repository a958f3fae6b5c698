// Programs that checks need, at the versions of deploy/versions.yaml: built once from their Go modules, or taken from
// an npm package that has the program. The Go proxy and its checksum database verify the sources.
import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse } from 'yaml'
import { environmentWith, root } from './config.ts'
import { type Package, type Packaged, packagedProgram, runsPackaged } from './npm-programs.ts'

/** A program of a Go module `path@version`. */
interface Program {
  module: string
  /** Path of its package in the module; the module itself by default. */
  package?: string
  /** A package of npm with the program, which is used unless it has been built. */
  npm?: Packaged & { package: string }
}

/** The output of `go mod edit -json`. */
interface GoMod {
  Go: string
  Require: { Path: string; Version: string }[]
  Replace: { Old: { Path: string }; New: { Path: string; Version?: string } }[] | null
  Exclude: { Path: string; Version: string }[] | null
}

const CACHE = join(root, 'node_modules/.cache/go-programs')
const MAX_OUTPUT = 16 * 1024 * 1024

const { programs, packages } = parse(readFileSync(join(root, 'deploy/versions.yaml'), 'utf8')) as {
  programs: Record<string, Program>
  packages: Record<string, Package>
}

const run = promisify(execFile)

/** @throws Error with everything that Go says when it fails */
async function go(args: readonly string[], cwd: string): Promise<string> {
  const env = environmentWith({ GOFLAGS: '-mod=mod -buildvcs=false', GOWORK: 'off', CGO_ENABLED: '0' })
  try {
    return (await run('go', args, { cwd, env, maxBuffer: MAX_OUTPUT })).stdout
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`go ${args.join(' ')}: ${stderr}${stdout}`, { cause: error })
  }
}

const fileOf = (name: string): string => join(CACHE, `${name}-${programs[name]!.module.split('@')[1]}`)

/** Go module `path@version` of a program of deploy/versions.yaml. */
export const moduleOfProgram = (name: string): string => programs[name]!.module

/** Whether Go is installed. */
export const hasGo = (): boolean => spawnSync('go', ['version']).status === 0

/** Whether a program has been built. */
export const isBuilt = (name: string): boolean => existsSync(fileOf(name))

/** Whether a program has been built, or is available from an npm package. */
export const isAtHand = (name: string): boolean => isBuilt(name) || (runsPackaged && programs[name]!.npm !== undefined)

/**
 * Folder of a Go module `path@version`, with its sources.
 * @throws Error with what Go says when the module cannot be fetched
 */
export async function goModule(module: string): Promise<string> {
  mkdirSync(CACHE, { recursive: true })
  return (JSON.parse(await go(['mod', 'download', '-json', module], CACHE)) as { Dir: string }).Dir
}

/** Kubernetes publishes its parts as modules of their own: those of v1.36.3 have version v0.36.3. */
const versionOfPart = (version: string): string => version.replace(/^v1\./, 'v0.')

/** Text of a main `go.mod` that requires the module and repeats its replacements; Go reads only the main one's. */
async function mainModule(module: string, folder: string): Promise<string> {
  const [path, version] = module.split('@') as [string, string]
  const sources = await goModule(module)
  const { Go, Require, Replace, Exclude } = JSON.parse(
    await go(['mod', 'edit', '-json', join(sources, 'go.mod')], folder),
  ) as GoMod
  const parts = new Set(Require.filter((part) => part.Version === 'v0.0.0').map((part) => part.Path))
  const replaced = (Replace ?? []).filter(({ New }) => New.Version !== undefined)
  return [
    'module programs',
    `go ${Go}`,
    `require ${path} ${version}`,
    ...[...parts].map((part) => `replace ${part} => ${part} ${versionOfPart(version)}`),
    ...replaced.map(({ Old, New }) => `replace ${Old.Path} => ${New.Path} ${New.Version}`),
    ...(Exclude ?? []).map((one) => `exclude ${one.Path} ${one.Version}`),
    '',
  ].join('\n')
}

async function build(name: string): Promise<void> {
  const { module, package: inside } = programs[name]!
  const [path, version] = module.split('@') as [string, string]
  const folder = join(CACHE, `${name}-${process.pid}.build`)
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(join(folder, 'go.mod'), await mainModule(module, folder))
    const ldflags = `-s -w -X k8s.io/component-base/version.gitVersion=${version}`
    const output = join(folder, 'program')
    await go(['build', '-trimpath', '-ldflags', ldflags, '-o', output, inside ? `${path}/${inside}` : path], folder)
    renameSync(output, fileOf(name))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Path of a program of deploy/versions.yaml, which is fetched or built if it is not there yet: seconds to minutes,
 * once.
 * @throws Error when Go is missing, or with what it says when the build fails
 */
export async function goProgram(name: string): Promise<string> {
  if (!isBuilt(name)) {
    const { npm } = programs[name]!
    if (runsPackaged && npm !== undefined) return packagedProgram(name, npm, packages[npm.package]!, CACHE)
    if (!hasGo()) throw new Error(`${name} is built with Go, which is missing: https://go.dev/doc/install`)
    await build(name)
  }
  return fileOf(name)
}
