// STATE_DIR/pids.json names every process of a stack, so that the guardian or the next start can end those that a
// killed launcher left.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { identify } from './identity.mjs'

/**
 * A process of a stack.
 * @typedef {import('./identity.mjs').Identity & { name: string, signal: string,
 *   kind: 'service' | 'part' | 'command' | 'guardian' }} Entry
 */

/**
 * Entries of a pid file; empty when it cannot be read.
 * @param {string} file
 * @returns {Entry[]}
 */
export function readPidFile(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return []
  }
}

/** The pid file of a running stack. */
export class PidFile {
  #file
  /** @type {Entry[]} */
  #entries = []
  #deleted = false

  /** @param {string} file */
  constructor(file) {
    this.#file = file
  }

  /**
   * Records a process; `kind` decides the order of ending, `signal` asks it to end.
   * @param {string} name
   * @param {Entry['kind']} kind
   * @param {number} pid
   */
  add(name, kind, pid, signal = 'SIGTERM') {
    this.#entries.push({ name, kind, signal, ...identify(pid) })
    this.#write()
  }

  /** @param {number | undefined} pid */
  remove(pid) {
    this.#entries = this.#entries.filter((entry) => entry.pid !== pid)
    this.#write()
  }

  /** A copy of the entries. */
  list() {
    return [...this.#entries]
  }

  delete() {
    this.#entries = []
    this.#deleted = true
    rmSync(this.#file, { force: true })
  }

  #write() {
    if (this.#deleted) return
    const aside = `${this.#file}.new`
    try {
      writeFileSync(aside, JSON.stringify(this.#entries, null, 1), { mode: 0o600 })
      renameSync(aside, this.#file)
    } catch (error) {
      // A full disk must not prevent ending the processes known in memory.
      if (error.code !== 'ENOSPC') throw error
    }
  }
}
