// One-shot commands (npm, mvn, nx, a migration): output goes to a log; a stop kills the whole process group.
import { mkdirSync, readFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { spawnIntoLog } from './child.mjs'
import { watchDisk } from '../machine/disk.mjs'
import { Refusal } from '../machine/refusal.mjs'

const running = new Set()

/**
 * Receives a command's process, to record it.
 * @typedef {(child: import('node:child_process').ChildProcess) => void} OnStart
 */

/**
 * The last lines of a log, to diagnose a failure.
 * @param {string} file
 */
export function tailOf(file, lines = 25) {
  try {
    return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n')
  } catch {
    return ''
  }
}

/**
 * Runs a command to its end. Rejects with the end of its output unless it exits with 0.
 * @param {string} file
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, log: string, cwd?: string, account?: { uid?: number, gid?: number },
 *   onStart?: OnStart }} options
 * @returns {Promise<string>} the log
 */
export function command(file, args, { log, onStart, ...options }) {
  mkdirSync(dirname(log), { recursive: true })
  const child = spawnIntoLog({ file, args, ...options }, log, 'w')
  running.add(child)
  onStart?.(child)
  const wasFull = watchDisk()
  return new Promise((resolve, reject) => {
    child.once('error', (error) => finish(child, () => reject(wasFull() ? new Refusal(wasFull()) : error)))
    child.once('exit', (code, signal) =>
      finish(child, () => {
        const full = wasFull()
        if (code === 0) return resolve(log)
        const what = `${basename(file)} ${args.join(' ')} failed (${signal ?? `exit ${code}`})`
        reject(new Refusal(full ?? `${what}. The end of ${log}:\n${tailOf(log)}`))
      }),
    )
  })
}

function finish(child, settle) {
  running.delete(child)
  settle()
}

/** Kills the commands still running, each with everything it started. */
export function killCommands() {
  for (const child of running) {
    try {
      process.kill(-child.pid, 'SIGKILL')
    } catch {
      // already gone
    }
  }
}
