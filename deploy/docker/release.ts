#!/usr/bin/env node
// npm run release:images -- --registry registry.example.com/partner-connectivity: builds the five images of this commit
// for both platforms, pushes them with bill of materials and provenance, signs them, and prints how an overlay takes
// them. With --dry-run it prints the commands; with --advisories <folder> it audits against those instead of asking the
// registry of packages. Needs Docker with buildx, cosign, and the right to push.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { childEnvironment, root } from '../local/bootstrap/config.mjs'
import { run } from '../local/bootstrap/machine/run.mjs'
import { Refusal } from '../local/bootstrap/machine/refusal.mjs'
import { optionsOf } from '../local/machine/options.ts'
import { services } from '../local/services/names.ts'
import { audit, build, type Command, metadataFile, type Release, setImages, sign } from './release/commands.ts'

const options = {
  registry: { type: 'string' },
  advisories: { type: 'string' },
  'dry-run': { type: 'boolean', default: false },
} as const
const HELP = `npm run release:images -- --registry <registry>   builds, pushes and signs the images of this commit
  --advisories <folder>   audits the packages against these advisories, without the network
  --dry-run               prints the commands
`

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

function perform({ file, args, env = {} }: Command, isDry: boolean): void {
  process.stdout.write(`${[file, ...args].join(' ')}\n`)
  if (!isDry) execFileSync(file, [...args], { cwd: root, env: childEnvironment(env), stdio: 'inherit' })
}

/** The release of this commit. */
function release(registry: string | undefined, isDry: boolean): Release {
  if (!registry) throw new Refusal('Name the registry: --registry registry.example.com/partner-connectivity')
  if (git('status', '--porcelain') !== '' && !isDry)
    throw new Refusal('The working copy has changes: commit them first.')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const committed = Number(git('log', '-1', '--format=%ct'))
  return { version, revision: git('rev-parse', 'HEAD'), committed, registry }
}

function digestOf(app: string, folder: string, isDry: boolean): string {
  if (isDry) return `sha256:<digest of ${app}>`
  const metadata = JSON.parse(readFileSync(metadataFile(app, folder), 'utf8')) as Record<string, string>
  return metadata['containerimage.digest']!
}

/** Builds and signs every image. @returns each service's image by digest */
function publish(facts: Release, folder: string, isDry: boolean): Map<string, string> {
  const images = new Map<string, string>()
  for (const { name } of services) {
    perform(build(name, facts, folder), isDry)
    images.set(name, `${facts.registry}/${name}@${digestOf(name, folder, isDry)}`)
    perform(sign(images.get(name)!), isDry)
  }
  return images
}

function main(): void {
  const given = optionsOf(options, HELP)
  if (!given) return
  const isDry = given['dry-run']
  const facts = release(given.registry, isDry)
  perform(audit(given.advisories), isDry)
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const { file, args } = setImages(publish(facts, folder, isDry))
    process.stdout.write(`\nin the overlay: ${file} ${args.join(' ')}\n`)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

await run(() => Promise.resolve(main()))
