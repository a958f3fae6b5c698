import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { DemoConnection, DemoFile } from '@connectivity/toolkit/hand-over'
import { OperatorsApi } from '@connectivity/toolkit/operators-api'
import { eventually } from './eventually.js'
import { freePort } from './free-port.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Longest time until a stack is ready, ms; a hook that starts one needs another 25 s for a stop. */
const START = 150_000
/** The launcher's output, in the stack's folder. */
const LOG = 'launcher.log'
const LAST_LINES = 40

/** Ports of the stack; the defaults would collide with a stack that starts at the same moment. */
const PORTS = [
  'GATEWAY_PUBLIC_PORT',
  'GATEWAY_PRIVATE_PORT',
  'CATALOG_PORT',
  'RESERVATION_FEED_PORT',
  'ARI_PORT',
  'EVENT_DISPATCH_PORT',
  'POSTGRES_PORT',
  'REDIS_PORT',
  'KAFKA_PORT',
]

/** Environment of a stack that shares nothing with the suite's own PostgreSQL, Redis and Kafka. */
function stackEnvironment(folder: string): NodeJS.ProcessEnv {
  const { DATABASE_URL: _1, REDIS_URL: _2, KAFKA_BROKERS: _3, KAFKA_TOPIC_PREFIX: _4, ...env } = process.env
  return { ...env, STATE_DIR: folder, NODE_OPTIONS: '' }
}

async function freePorts(): Promise<Record<string, string>> {
  const ports: Record<string, string> = {}
  for (const key of PORTS) ports[key] = String(await freePort())
  return ports
}

/** Starts the launcher; everything that it prints goes to the log. */
function launch(folder: string, log: string, env: Record<string, string>): ChildProcess {
  const output = openSync(log, 'w')
  // With LAUNCHER_BEGAN the launcher ends its stack when this process is gone.
  const own = { SERVICES_BUILT: 'true', LAUNCHER_BEGAN: String(Date.now()) }
  const launcher = spawn(process.execPath, ['deploy/local/start.mjs'], {
    cwd: ROOT,
    env: { ...stackEnvironment(folder), ...env, ...own },
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  return launcher
}

/** The whole system as `npm start` runs it, with parts and data of its own. */
export class WholeStack {
  private constructor(
    private readonly folder: string,
    private readonly launcher: ChildProcess,
  ) {}

  /**
   * Starts a stack and waits until it serves the demo bookings.
   * @param more environment of the launcher and all that it starts
   * @throws Error with the end of the launcher's output when the launcher ends or takes too long; nothing is left then
   */
  static async start(more: Record<string, string> = {}): Promise<WholeStack> {
    const ports = await freePorts()
    const folder = mkdtempSync(join(tmpdir(), `whole-stack-${process.pid}-`))
    const stack = new WholeStack(folder, launch(folder, join(folder, LOG), { ...ports, ...more }))
    try {
      await stack.waitUntilStarted()
    } catch (error) {
      await stack.stop()
      throw error
    }
    return stack
  }

  get demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8')) as DemoFile
  }

  get connection(): DemoConnection {
    return this.connectionOf(0)
  }

  /** Connection of the other demo application, to another property. */
  get otherConnection(): DemoConnection {
    return this.connectionOf(1)
  }

  /** Environment of a partner's programs. */
  get partnerEnvironment(): Record<string, string> {
    const { property_id, signing, oauth } = this.connection
    return {
      PATH: process.env.PATH ?? '',
      HOME: this.folder,
      BASE_URL: this.demo.base_url,
      PROPERTY_ID: property_id,
      KEY_ID: signing.key_id,
      SIGNING_SECRET: signing.signing_secret,
      CLIENT_ID: oauth.client_id,
      CLIENT_SECRET: oauth.client_secret,
    }
  }

  /** The operators' interface, with the token that may make changes. */
  get operators(): OperatorsApi {
    const { base_url, token } = this.demo.ops
    return new OperatorsApi(base_url, token)
  }

  /** Lifts the rate limits of the demo application that `connection` belongs to. */
  liftLimits(): Promise<void> {
    return this.operators.liftLimits(this.demo.applications[0]!.application_id)
  }

  /** Path of a file for programs of a test; it is removed with the stack. */
  file(name: string): string {
    return join(this.folder, name)
  }

  /** Log of a service. */
  log(service: string): string {
    return readFileSync(join(this.folder, 'logs', `${service}.log`), 'utf8')
  }

  /** Confirms one more booking of the first property as the booking engine would, or changes or cancels one. */
  async book(...change: ('--modify' | '--cancel')[]): Promise<void> {
    await this.run('deploy/local/demo-book.ts', ...change)
  }

  /** Ends every process and removes every file of the stack. */
  async stop(): Promise<void> {
    if (this.isRunning) {
      const ended = once(this.launcher, 'close')
      this.launcher.kill('SIGTERM')
      await ended
    }
    // PostgreSQL's data may lie in another folder, which `npm run reset` knows.
    await this.run('deploy/local/reset.ts')
  }

  private get isRunning(): boolean {
    return this.launcher.exitCode === null && this.launcher.signalCode === null
  }

  private async run(...command: string[]): Promise<void> {
    await promisify(execFile)(process.execPath, command, { cwd: ROOT, env: stackEnvironment(this.folder) })
  }

  private connectionOf(application: number): DemoConnection {
    return this.demo.applications[application]!.connections[0]!
  }

  private get demoFile(): string {
    return join(this.folder, 'demo.json')
  }

  private async waitUntilStarted(): Promise<void> {
    const trouble = await eventually(() => this.outcome(), { deadline: START }).catch(() => 'took too long')
    if (trouble !== null) throw new Error(`npm start ${trouble}:\n${this.lastOutput}`)
  }

  /**
   * @returns null once the stack is ready
   * @throws Error while the launcher is starting it
   */
  private outcome(): string | null {
    const { exitCode, signalCode } = this.launcher
    if (!this.isRunning) return `ended with ${signalCode ?? `exit code ${exitCode}`}`
    if (existsSync(this.demoFile)) return null
    throw new Error('still starting')
  }

  private get lastOutput(): string {
    return readFileSync(join(this.folder, LOG), 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
  }
}
