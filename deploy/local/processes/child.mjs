// A long-running process of the stack: its output goes straight into its log, and it leads a group of its own, so
// that a Ctrl-C in the terminal reaches only the launcher, which stops everything in order.
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { childEnvironment, root } from '../config.mjs'

/** How a process ended, in words. */
export const howItEnded = ({ code, signal, error }) =>
  error?.message ?? (signal ? `was ended by ${signal}` : `exit ${code}`)

/**
 * Starts a process.
 * @returns {{ pid: number | undefined, exited: Promise<{ code?: number, signal?: string, error?: Error }>, isRunning: () => boolean }}
 */
export function launch({ file, args, env, cwd = root, account }, log) {
  const output = openSync(log, 'a')
  const child = spawn(file, args, {
    cwd,
    env: childEnvironment(env),
    stdio: ['ignore', output, output],
    detached: true,
    ...account,
  })
  closeSync(output)
  let running = true
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  }).finally(() => {
    running = false
  })
  return { pid: child.pid, exited, isRunning: () => running }
}
