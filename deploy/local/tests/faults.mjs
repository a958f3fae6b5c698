// The short run of faults, on a stack of its own.
import { spawn } from 'node:child_process'
import { childEnvironment, root } from '../config.mjs'
import { node } from '../machine/install.mjs'

/** Resolves with whether all was well; what was not it has said itself. */
export function surviveFaults({ track }) {
  const child = spawn(node, ['deploy/faults/faults.mjs', '--short'], {
    cwd: root,
    env: childEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  track(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code === 0))
  })
}
