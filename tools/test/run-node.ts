// Runs a script in its own process group, recorded by the stack, which ends leftovers.
import { spawn, type ChildProcess } from 'node:child_process'
import { childEnvironment, root } from '../../deploy/local/bootstrap/config.mjs'
import { node } from '../../deploy/local/bootstrap/install/install.mjs'

/** Records a process while it runs. */
export type Track = (child: ChildProcess) => void

/** @returns the exit code; null when a signal has ended it */
export function runNode(args: readonly string[], env: Record<string, string>, track: Track): Promise<number | null> {
  const child = spawn(node, args, {
    cwd: root,
    env: childEnvironment(env),
    stdio: ['ignore', 'inherit', 'inherit'],
    detached: true,
  })
  return exitCodeOf(child, track)
}

/** @returns the exit code; null when a signal has ended the process */
export function exitCodeOf(child: ChildProcess, track: Track): Promise<number | null> {
  track(child)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code))
  })
}
