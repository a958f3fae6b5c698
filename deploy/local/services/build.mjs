// Builds with Nx: only changes since the last build; the rest comes from its cache.
import { join } from 'node:path'
import { root } from '../config.mjs'
import { command } from '../machine/command.mjs'
import { node } from '../machine/install.mjs'

const nx = join(root, 'node_modules', '.bin', 'nx')
const QUIET = { NX_DAEMON: 'false', NX_TUI: 'false', NX_NO_CLOUD: 'true', CI: 'true', FORCE_COLOR: '0' }

/** `nx run-many -t <targets>`; rejects with the end of its output when one fails. */
export function runTargets(targets, { logDir, onStart }) {
  const args = [nx, 'run-many', '-t', ...targets]
  return command(node, args, { env: QUIET, log: join(logDir, `nx-${targets.join('-')}.log`), onStart })
}
