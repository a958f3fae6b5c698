// A stack in a temporary folder, gone with it.
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outsideFolder } from '../parts/postgres-place.mjs'
import { withStack } from './with-stack.mjs'

/** As `withStack`; the folder's name begins with `prefix`, and everything is removed afterwards. */
export function withThrowAwayStack(prefix, work) {
  const dir = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(dir, 0o711) // PostgreSQL may run under another account; no name in here can be guessed or listed
  return withStack({ dir, leftovers: [dir, outsideFolder(dir)] }, work)
}
