import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { environmentWith } from '@connectivity/toolkit/config'
import { root } from './config.ts'

const SCRIPT = join(root, 'deploy/kubernetes/overlays/local/make-secrets.ts')

/** The Secrets that make-secrets.ts makes for a cluster on one machine, from the secrets in a folder. */
export const secretsFrom = (folder: string): string =>
  execFileSync(process.execPath, [SCRIPT], {
    env: environmentWith({ SECRETS_DIR: folder }),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
