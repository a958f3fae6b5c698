#!/usr/bin/env node
// npm run kubernetes:prove: starts a Kubernetes API server and its controllers as processes of its own, installs the definitions
// of the operators that deploy/versions.yaml names, applies every overlay strictly, twice, under PodSecurity `restricted`, and runs
// the commands of the runbooks. It says what was refused; anything refused is a failure.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hasGo } from '@connectivity/toolkit/go-programs'
import { ControlPlane } from './prove/control-plane.ts'
import { allDefinitions } from './prove/definitions.ts'
import type { Kubectl } from './prove/kubectl.ts'
import { type Applied, built, prove, remove } from './prove/overlays.ts'
import { runCommands } from './prove/runbooks.ts'
import { environmentWith } from '../../tools/toolkit/config.ts'

const HERE = import.meta.dirname
const began = performance.now()
const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`
const say = (line: string): void => void process.stdout.write(`${seconds()}  ${line}\n`)
const file = (name: string): string => readFileSync(join(HERE, 'prove', name), 'utf8')

/** Folders that are applied together; the last one has everything, and the runbooks run on it. */
const TARGETS: readonly (readonly string[])[] = [
  ['overlays/local'],
  ['overlays/staging'],
  ['components/ingress'],
  ['delivery'],
  ['overlays/production', 'platform'],
]

/** The Secrets that make-secrets.ts makes for a cluster on one machine. */
function secretsOfOneMachine(): string {
  const dir = mkdtempSync(join(tmpdir(), 'kubernetes-secrets-'))
  try {
    const script = join(HERE, 'overlays/local/make-secrets.ts')
    return execFileSync(process.execPath, [script], {
      env: environmentWith({ SECRETS_DIR: dir }),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } finally {
    rmSync(dir, { recursive: true })
  }
}

async function installDefinitions(kubectl: Kubectl): Promise<void> {
  for (const [name, definitions] of await allDefinitions()) {
    kubectl.must(['apply', '--server-side', '--filename', '-'], definitions)
    say(`definitions of ${name}: ${definitions.match(/^kind: CustomResourceDefinition$/gm)!.length}`)
  }
  kubectl.must(['wait', '--for=condition=established', 'crd', '--all', '--timeout=60s'])
}

/** Refusals of objects that must be refused; fewer than there are mean that the proof is blind. */
function refusalsOfSpoilt(kubectl: Kubectl): string[] {
  const { complains } = kubectl.apply(file('spoilt.yaml'))
  return complains.filter((line) => /selektor|violates PodSecurity|spec.partitions/.test(line))
}

function report(folders: readonly string[], { objects, pods, refused }: Applied): boolean {
  say(`${folders.join(' and ')}: ${objects} objects applied twice, ${pods} pods admitted, ${refused.length} refused`)
  for (const line of refused) process.stdout.write(`          ${line}\n`)
  return refused.length === 0 && objects > 0
}

function proveCommands(kubectl: Kubectl): boolean {
  const { run, failed, left } = runCommands(kubectl)
  say(`kubectl lines of the runbooks: ${run} run, ${failed.length} failed, ${left.length} need a node or a person`)
  for (const line of failed) process.stdout.write(`          ${line}\n`)
  return run > 0 && failed.length === 0
}

async function proveAll(kubectl: Kubectl): Promise<boolean> {
  await installDefinitions(kubectl)
  const results: boolean[] = []
  for (const folders of TARGETS) {
    const before = folders.includes('overlays/local') ? [secretsOfOneMachine()] : []
    results.push(report(folders, await prove(kubectl, folders, [file('prerequisites.yaml'), ...before].join('---\n'))))
    if (folders === TARGETS.at(-1)) {
      const spoilt = refusalsOfSpoilt(kubectl)
      say(`objects that must be refused: ${spoilt.length} of 3 refused`)
      results.push(spoilt.length === 3, proveCommands(kubectl))
    } else await remove(kubectl, await built(folders))
  }
  return results.every(Boolean)
}

parseArgs({ options: {} })
if (!hasGo()) {
  process.stderr.write('The API server and its tools are built with Go, which is missing: https://go.dev/doc/install\n')
  process.exit(1)
}
const { plane, kubectl } = await ControlPlane.start()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void plane.stop().then(() => process.exit(1)))
try {
  say(
    `API server ${kubectl
      .must(['version', '--output=json'])
      .match(/"gitVersion": "(v[^"]+)"/g)
      ?.at(-1)}`,
  )
  process.exitCode = (await proveAll(kubectl)) ? 0 : 1
  say(process.exitCode === 0 ? 'proven' : 'NOT proven')
} finally {
  await plane.stop()
}
