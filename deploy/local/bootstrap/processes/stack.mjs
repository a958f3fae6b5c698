// Common base of the stack of `npm start` and the throw-away parts of `npm test`: a pid file, a guardian, a supervisor,
// and one way to end.
import { spawn } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../config.mjs'
import { killCommands } from './command.mjs'
import { end, kill } from './end.mjs'
import { PidFile } from './pid-file.mjs'
import { Supervisor } from './supervisor.mjs'

const guardian = fileURLToPath(new URL('guardian.mjs', import.meta.url))

/** The processes of one run, and the files that must not outlive them. */
export class Stack {
  #leftovers
  #atEnd = []
  #guardian
  #ending

  /**
   * @param {{ dir: string, leftovers?: string[], onChange?: () => void }} options
   *   `leftovers` are removed at the end, also by the guardian when this process is killed;
   *   `onChange`: see `Supervisor`
   */
  constructor({ dir, leftovers = [], onChange }) {
    mkdirSync(dir, { recursive: true })
    this.dir = dir
    this.logDir = join(dir, 'logs')
    this.pidFile = new PidFile(join(dir, 'pids.json'))
    this.supervisor = new Supervisor({ pidFile: this.pidFile, logDir: this.logDir, onChange })
    this.#leftovers = leftovers
    this.#startGuardian(join(dir, 'pids.json'))
  }

  /**
   * Records a one-shot command while it runs: option `onStart` of `command()`.
   * @param {import('node:child_process').ChildProcess} child
   */
  track = (child) => {
    if (child.pid === undefined) return
    this.pidFile.add('command', 'command', child.pid)
    child.once('exit', () => this.pidFile.remove(child.pid))
  }

  /**
   * Registers work for the end, when all processes have ended.
   * @param {() => unknown} work
   */
  atEnd(work) {
    this.#atEnd.push(work)
  }

  /** Whether `end` has been called; start nothing new then. */
  get isEnding() {
    return this.#ending !== undefined
  }

  /**
   * Ends everything in order; calling it again waits for the same end.
   * @returns {Promise<void>}
   */
  end() {
    this.#ending ??= this.#end()
    return this.#ending
  }

  /** Ends everything at once. */
  kill() {
    this.supervisor.release()
    killCommands()
    kill(this.pidFile.list())
  }

  async #end() {
    this.supervisor.release()
    killCommands()
    await end(this.pidFile.list().filter((entry) => entry.kind !== 'guardian'))
    for (const work of this.#atEnd) await work()
    for (const path of this.#leftovers) rmSync(path, { recursive: true, force: true })
    this.pidFile.delete()
    this.#guardian?.stdin.end()
  }

  #startGuardian(pidFile) {
    this.#guardian = spawn(process.execPath, [guardian, pidFile, ...this.#leftovers], {
      env: childEnvironment(),
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    this.#guardian.stdin.on('error', () => {})
    this.#guardian.unref()
    this.#guardian.stdin.unref?.()
    this.pidFile.add('guardian', 'guardian', this.#guardian.pid)
  }
}
