// Starts the stack's processes and restarts those that die: after 1 s, then 2 s, doubling to 30 s.
import { existsSync, mkdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { tailOf } from './command.mjs'
import { fullDisk } from '../machine/disk.mjs'
import { say, seconds } from '../machine/progress.mjs'
import { Refusal } from '../machine/refusal.mjs'
import { howItEnded, launch } from './child.mjs'

const FIRST_DELAY = 1_000
const LONGEST_DELAY = 30_000
const HEALTHY_AGAIN = 60_000

/**
 * Specification of a process for the supervisor.
 * @typedef {{ name: string, title: string, kind: 'service' | 'part', signal?: string, readyWithin?: number,
 *   attempts?: number, command: () => import('./child.mjs').Command, isReady: () => Promise<boolean>,
 *   beforeStart?: () => void }} Spec
 */

/** The processes of one stack. */
export class Supervisor {
  #pidFile
  #logDir
  #onChange
  /** @type {Map<string, ReturnType<typeof launch>>} */
  #live = new Map()
  #stopping = false

  /**
   * @param {{ pidFile: import('./pid-file.mjs').PidFile, logDir: string, onChange?: () => void }} options `onChange` is
   *   called whenever a process was started again with another pid, ready or not
   */
  constructor({ pidFile, logDir, onChange = () => {} }) {
    this.#pidFile = pidFile
    this.#logDir = logDir
    this.#onChange = onChange
    mkdirSync(logDir, { recursive: true })
  }

  /**
   * The pid of a process by its name, while it runs.
   * @param {string} name
   */
  pidOf(name) {
    return this.#live.get(name)?.pid
  }

  /** @param {string} name */
  logOf = (name) => join(this.#logDir, `${name}.log`)

  /**
   * Starts a process for the first time and waits until it is ready. A service may end a few times before (it exits
   * when its dependencies are not ready, and is restarted); a lasting failure ends the start.
   * @param {Spec} spec
   * @returns {Promise<void>}
   */
  async start(spec) {
    const log = this.logOf(spec.name)
    if (existsSync(log)) renameSync(log, join(this.#logDir, `${spec.name}.previous.log`))
    for (let left = spec.attempts ?? 1; ; left--) {
      const child = this.#launch(spec)
      if (await this.#becameReady(spec, child)) return void this.#guard(spec, child)
      if (left === 1 || child.isRunning() || this.#stopping) throw await this.#failure(spec, child)
      say(`${spec.title} ended while starting (${howItEnded(await child.exited)}), starting it again; log: ${log}`)
      await sleep(FIRST_DELAY)
    }
  }

  /** Stops restarting processes. */
  release() {
    this.#stopping = true
  }

  #launch(spec) {
    if (this.#stopping) throw new Refusal('stopped')
    spec.beforeStart?.()
    const child = launch(spec.command(), this.logOf(spec.name))
    if (child.pid !== undefined) {
      this.#pidFile.add(spec.name, spec.kind, child.pid, spec.signal)
      this.#live.set(spec.name, child)
    }
    void child.exited.then(() => {
      this.#pidFile.remove(child.pid)
      if (this.#live.get(spec.name) === child) this.#live.delete(spec.name)
    })
    return child
  }

  async #becameReady(spec, child) {
    const deadline = Date.now() + (spec.readyWithin ?? 60_000)
    while (child.isRunning() && Date.now() < deadline && !this.#stopping) {
      if (await spec.isReady().catch(() => false)) return child.isRunning()
      await Promise.race([sleep(100), child.exited])
    }
    return false
  }

  async #failure(spec, child) {
    const log = this.logOf(spec.name)
    const how = child.isRunning() ? 'did not become ready in time' : `did not start (${howItEnded(await child.exited)})`
    return new Refusal(`${spec.title} ${how}. The end of ${log}:\n${tailOf(log)}`)
  }

  async #guard(spec, firstChild) {
    let child = firstChild
    let delay = FIRST_DELAY
    for (;;) {
      const from = Date.now()
      const ending = await child.exited
      if (this.#stopping) return
      if (Date.now() - from >= HEALTHY_AGAIN) delay = FIRST_DELAY
      say(
        `${spec.title} died (${howItEnded(ending)}), starting it again in ${seconds(delay)}; log: ${this.logOf(spec.name)}`,
      )
      this.#warnOfFullDisk(spec)
      await sleep(delay)
      delay = Math.min(delay * 2, LONGEST_DELAY)
      if (this.#stopping) return
      child = await this.#again(spec, child)
    }
  }

  async #again(spec, dead) {
    try {
      const child = this.#launch(spec)
      this.#onChange()
      if (await this.#becameReady(spec, child)) say(`${spec.title} is back (process ${child.pid})`)
      return child
    } catch (error) {
      say(`${spec.title} could not be started: ${error.message}`)
      return dead // has exited, so the next round waits and tries again
    }
  }

  #warnOfFullDisk(spec) {
    const sentence = fullDisk(tailOf(this.logOf(spec.name)))
    if (sentence) say(sentence)
  }
}
