import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
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

const OPTIONS = { encoding: 'utf8', maxBuffer: MAX_BYTES, timeout: LIMIT } as const

const works = ([command, ...args]: readonly [string, ...string[]]): boolean =>
  spawnSync(command, [...args, join(KUBERNETES, 'base')], OPTIONS).status === 0

/** The first Kustomize command that works on this machine, null when none does. */
export const kustomize = ways.find(works) ?? null

/**
 * Runs `kustomize build` on a folder.
 * @throws Error with the command and its error output when it fails
 */
export async function build(folder: string): Promise<string> {
  const [command, ...args] = kustomize!
  return (await promisify(execFile)(command, [...args, join(KUBERNETES, folder)], OPTIONS)).stdout
}
