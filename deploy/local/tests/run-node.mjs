// A script in a process group of its own, seen by whoever runs the tests.
import { spawn } from 'node:child_process'
import { childEnvironment, root } from '../config.mjs'
import { node } from '../machine/install.mjs'

/** Resolves with its exit code; null when a signal has ended it. */
export function runNode(args, env, track) {
  const child = spawn(node, args, {
    cwd: root,
    env: childEnvironment(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  track(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', resolve)
  })
}
