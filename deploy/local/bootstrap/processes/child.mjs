// A child process: its output goes straight to a log, and it leads its own process group, so that a Ctrl-C in the
// terminal reaches only the launcher, which stops everything in order.
import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { childEnvironment, root } from '../config.mjs'

/**
 * A program with its arguments, environment, folder and account.
 * @typedef {{ file: string, args: string[], env?: NodeJS.ProcessEnv, cwd?: string,
 *   account?: { uid?: number, gid?: number } }} Command
 */

/**
 * Describes how a process ended.
 * @param {{ code?: number | null, signal?: string | null, error?: Error }} ending
 * @returns {string}
 */
export const howItEnded = ({ code, signal, error }) =>
  error?.message ?? (signal ? `was ended by ${signal}` : `exit ${code}`)

/**
 * Spawns a process with its output in a log.
 * @param {Command} what
 * @param {string} log
 * @param {'a' | 'w'} flags append to the log, or overwrite it
 * @returns {import('node:child_process').ChildProcess}
 */
export function spawnIntoLog({ file, args, env, cwd = root, account }, log, flags) {
  const output = openSync(log, flags)
  const stdio = ['ignore', output, output]
  const child = spawn(file, args, { cwd, env: childEnvironment(env), stdio, detached: true, ...account })
  closeSync(output)
  return child
}

/**
 * Starts a long-running process.
 * @param {Command} what
 * @param {string} log
 * @returns {{ pid: number | undefined, isRunning: () => boolean,
 *   exited: Promise<{ code?: number | null, signal?: string | null, error?: Error }> }}
 */
export function launch(what, log) {
  const child = spawnIntoLog(what, log, 'a')
  let running = true
  const exited = new Promise((resolve) => {
    child.once('error', (error) => resolve({ error }))
    child.once('exit', (code, signal) => resolve({ code, signal }))
  }).finally(() => {
    running = false
  })
  return { pid: child.pid, exited, isRunning: () => running }
}
