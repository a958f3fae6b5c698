// The whole system for one program or suite: npm start in a temporary folder.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ownStackEnvironment, root } from './config.ts'
import type { HandOver } from './hand-over.ts'
import { until } from './until.ts'

/** Default of `untilReady`, ms; a hook that starts a stack needs another 25 s for a stop. */
const READY_LIMIT = 150_000
/** Lines of the launcher's output in the error of a stack that does not start. */
const LAST_LINES = 40

/** The whole system as `npm start` runs it, with parts and data of its own. */
export class StackProcess {
  /** Folder of its data and logs, removed with it. */
  readonly folder: string
  readonly #env: NodeJS.ProcessEnv
  readonly #launcher: ChildProcess

  /** @param more environment of the launcher and all that it starts */
  constructor(more: Readonly<Record<string, string>>) {
    this.folder = mkdtempSync(join(tmpdir(), `own-stack-${process.pid}-`))
    this.#env = ownStackEnvironment({ STATE_DIR: this.folder, ...more })
    const output = openSync(this.#log, 'w')
    this.#launcher = spawn(process.execPath, ['deploy/local/start.mjs'], {
      cwd: root,
      // With LAUNCHER_BEGAN the launcher ends its stack when this process is gone.
      env: { ...this.#env, LAUNCHER_BEGAN: String(Date.now()) },
      stdio: ['ignore', output, output],
    })
    closeSync(output)
  }

  /** The hand-over file as it is now. */
  get demo(): HandOver {
    return JSON.parse(readFileSync(this.#handOver, 'utf8')) as HandOver
  }

  /** Folder with a log of each process. */
  get logs(): string {
    return join(this.folder, 'logs')
  }

  /**
   * Waits until the stack serves the demo bookings.
   * @param within longest time for it, ms
   * @throws Error with the end of the launcher's output when the launcher ends or takes too long
   */
  async untilReady(within = READY_LIMIT): Promise<void> {
    const isOver = () => existsSync(this.#handOver) || !this.#isRunning
    const complaint = () => `npm start took too long:\n${this.#lastOutput()}`
    await until(isOver, { within, every: 50, complaint })
    if (this.#isRunning) return
    const { exitCode, signalCode } = this.#launcher
    throw new Error(`npm start ended with ${signalCode ?? `exit code ${exitCode}`}:\n${this.#lastOutput()}`)
  }

  /** Runs a program of the repository on this stack to its end. @throws Error with its output when it fails */
  async run(...command: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, command, { cwd: root, env: this.#env })
  }

  /** Ends every process and removes every file of the stack. */
  async end(): Promise<void> {
    if (this.#isRunning) {
      const ended = once(this.#launcher, 'close')
      this.#launcher.kill('SIGTERM')
      await ended
    }
    // PostgreSQL's data may lie in another folder, which `npm run reset` knows.
    await this.run('deploy/local/reset.ts')
  }

  get #handOver(): string {
    return join(this.folder, 'demo.json')
  }

  /** File with everything that the launcher prints. */
  get #log(): string {
    return join(this.folder, 'launcher.log')
  }

  get #isRunning(): boolean {
    return this.#launcher.exitCode === null && this.#launcher.signalCode === null
  }

  #lastOutput(): string {
    return readFileSync(this.#log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  }
}
