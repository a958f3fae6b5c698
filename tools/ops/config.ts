// Address of the operators' interface and the token to use there.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { stateDir } from '../../deploy/local/bootstrap/config.mjs'
import type { DemoContents } from '@connectivity/toolkit/hand-over'
import { readWhole } from '../../deploy/local/machine/files.ts'
import type { Access } from './operators-interface.ts'
import { UsageError } from './usage-error.ts'

const env = process.env
const INTERFACE = '/ops/v1'

/** Accepts the address with or without the interface's path. */
function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`OPS_URL must look like http://host, not ${text}`)
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (path === '' ? INTERFACE : path)
}

function fromEnvironment(url: string, readOnly: boolean): Access {
  if (!env.OPS_TOKEN) throw new UsageError('OPS_URL is set, OPS_TOKEN is not: set it to an operator token (a JWT).')
  if (readOnly) throw new UsageError('--read-only is for the local stack; with OPS_TOKEN the token itself decides.')
  return { base: baseOf(url), token: env.OPS_TOKEN }
}

function fromLocalStack(readOnly: boolean): Access {
  const file = join(stateDir, 'demo.json')
  if (!existsSync(file)) {
    throw new UsageError('No local stack is running: run npm start, or set OPS_URL and OPS_TOKEN for another one.')
  }
  const { base_url, token, read_token } = (readWhole(file) as DemoContents).ops
  return { base: base_url, token: readOnly ? read_token : token }
}

/**
 * Returns OPS_URL and OPS_TOKEN when set, else those of the local stack (STATE_DIR chooses which); `readOnly` selects
 * the local stack's read-only token.
 * @throws UsageError
 */
export function findInterface({ readOnly }: { readOnly: boolean }): Access {
  if (env.OPS_URL) return fromEnvironment(env.OPS_URL, readOnly)
  if (env.OPS_TOKEN)
    throw new UsageError('OPS_TOKEN is set, OPS_URL is not: set it, or unset both for the local stack.')
  return fromLocalStack(readOnly)
}
