// Builds with Nx: only changes since the last build; the rest comes from its cache.
import { join } from 'node:path'
import { root } from '../bootstrap/config.mjs'
import { command, type OnStart } from '../bootstrap/processes/command.mjs'
import { node } from '../bootstrap/install/install.mjs'

const nx = join(root, 'node_modules', '.bin', 'nx')
const QUIET = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true', CI: 'true', FORCE_COLOR: '0' }

/** Log folder of commands, and the function that records their processes. */
export interface Recorded {
  logDir: string
  onStart?: OnStart
}

/** `nx run-many -t <targets>`; resolves with its log, rejects with the end of its output when one fails. */
export function runTargets(targets: readonly string[], { logDir, onStart }: Recorded): Promise<string> {
  const args = [nx, 'run-many', '-t', ...targets]
  return command(node, args, { env: QUIET, log: join(logDir, `nx-${targets.join('-')}.log`), onStart })
}
