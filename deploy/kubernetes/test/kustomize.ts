import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { KUBERNETES } from './manifests.js'

/** Built from source where only Go is at hand. */
const MODULE = 'sigs.k8s.io/kustomize/kustomize/v5@v5.8.2'

const MAX_BYTES = 64 * 1024 * 1024
/** Go has to fetch and compile it the first time, ms. */
const LIMIT = 300_000

const ways: readonly (readonly [string, ...string[]])[] = [
  ['kustomize', 'build'],
  ['kubectl', 'kustomize'],
  ['go', 'run', MODULE, 'build'],
]

const run = ([command, ...args]: readonly [string, ...string[]], folder: string) =>
  spawnSync(command, [...args, join(KUBERNETES, folder)], { encoding: 'utf8', maxBuffer: MAX_BYTES, timeout: LIMIT })

/** The first way to Kustomize that works on this machine, null when none does. */
export const kustomize = ways.find((way) => run(way, 'base').status === 0) ?? null

/**
 * What `kustomize build` makes of a folder.
 * @throws Error with what it says when it fails
 */
export function build(folder: string): string {
  const { status, stdout, stderr } = run(kustomize!, folder)
  if (status !== 0) throw new Error(`kustomize build ${folder}: ${stderr}`)
  return stdout
}
