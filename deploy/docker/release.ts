#!/usr/bin/env node
// npm run release:images -- --registry registry.example.com/partner-connectivity: builds the five images of this commit
// for both platforms, pushes them with bill of materials and provenance, signs them, and prints how an overlay takes
// them. With --dry-run it prints the commands; with --advisories <folder> it audits against those instead of asking the
// registry of packages. Needs Docker with buildx, cosign, and the right to push.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { childEnvironment, root } from '../local/bootstrap/config.mjs'
import { run } from '../local/bootstrap/machine/run.mjs'
import { Refusal } from '../local/bootstrap/machine/refusal.mjs'
import { services } from '../local/services/names.ts'
import { audit, build, type Command, metadataFile, type Release, setImages, sign } from './release/commands.ts'

const { values } = parseArgs({
  options: { registry: { type: 'string' }, advisories: { type: 'string' }, 'dry-run': { type: 'boolean' } },
})
const isDry = values['dry-run'] ?? false

const git = (...args: string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()

function perform({ file, args, env = {} }: Command): void {
  process.stdout.write(`${[file, ...args].join(' ')}\n`)
  if (!isDry) execFileSync(file, [...args], { cwd: root, env: childEnvironment(env), stdio: 'inherit' })
}

/** The release of this commit. */
function release(): Release {
  if (!values.registry) throw new Refusal('Name the registry: --registry registry.example.com/partner-connectivity')
  if (git('status', '--porcelain') !== '' && !isDry)
    throw new Refusal('The working copy has changes: commit them first.')
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const committed = Number(git('log', '-1', '--format=%ct'))
  return { version, revision: git('rev-parse', 'HEAD'), committed, registry: values.registry }
}

function digestOf(app: string, folder: string): string {
  if (isDry) return `sha256:<digest of ${app}>`
  const metadata = JSON.parse(readFileSync(metadataFile(app, folder), 'utf8')) as Record<string, string>
  return metadata['containerimage.digest']!
}

/** Builds and signs every image. @returns each service's image by digest */
function publish(facts: Release, folder: string): Map<string, string> {
  const images = new Map<string, string>()
  for (const { name } of services) {
    perform(build(name, facts, folder))
    images.set(name, `${facts.registry}/${name}@${digestOf(name, folder)}`)
    perform(sign(images.get(name)!))
  }
  return images
}

await run(() => {
  const facts = release()
  perform(audit(values.advisories))
  const folder = mkdtempSync(join(tmpdir(), 'release-'))
  try {
    const { file, args } = setImages(publish(facts, folder))
    process.stdout.write(`\nin the overlay: ${file} ${args.join(' ')}\n`)
  } finally {
    rmSync(folder, { recursive: true })
  }
  return Promise.resolve(0)
})
