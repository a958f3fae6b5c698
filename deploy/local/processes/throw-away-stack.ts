// A stack in a temporary folder that is removed at the end.
import { chmodSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { outsideFolder } from '../parts/postgres-place.ts'
import type { Stack } from '../bootstrap/processes/stack.mjs'
import { withStack } from '../bootstrap/processes/with-stack.mjs'

/** Like `withStack`; the folder's name begins with `prefix`, and everything is removed afterwards. */
export function withThrowAwayStack<T>(prefix: string, work: (stack: Stack) => Promise<T>): Promise<T> {
  const dir = mkdtempSync(join(tmpdir(), prefix))
  chmodSync(dir, 0o711) // PostgreSQL may run under another account; names in here can be neither guessed nor listed
  return withStack({ dir, leftovers: [dir, outsideFolder(dir)] }, work)
}
