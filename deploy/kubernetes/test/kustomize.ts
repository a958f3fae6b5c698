import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { goProgram } from '@connectivity/toolkit/go-programs'
import { KUBERNETES } from './manifests.js'

const OPTIONS = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const

/**
 * Runs `kustomize build` on a folder.
 * @throws Error with the command and its error output when it fails
 */
export async function build(folder: string): Promise<string> {
  const kustomize = await goProgram('kustomize')
  return (await promisify(execFile)(kustomize, ['build', join(KUBERNETES, folder)], OPTIONS)).stdout
}
