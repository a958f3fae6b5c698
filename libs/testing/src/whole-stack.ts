import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { eventually } from './eventually.js'
import { freePort } from './service-process.js'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const START = 180_000

/** Ports of the stack: by default it would take those that a stack started at the same moment takes too. */
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

/** One of the two properties of a local stack, as demo.json shows it. */
export interface DemoConnection {
  property_id: string
  source_property_id: string
  signing: { key_id: string; signing_secret: string }
  oauth: { client_id: string; client_secret: string }
}

interface DemoFile {
  base_url: string
  ops: { base_url: string; token: string }
  kafka: { brokers: string[] }
  applications: { application_id: string; connections: DemoConnection[] }[]
}

/** The whole system as `npm start` runs it, with parts and data of its own. */
export class WholeStack {
  private constructor(
    private readonly folder: string,
    private readonly launcher: ChildProcess,
  ) {}

  /** @param more environment of the launcher and all that it starts */
  static async start(more: Record<string, string> = {}): Promise<WholeStack> {
    const folder = mkdtempSync(join(tmpdir(), 'whole-stack-'))
    const { DATABASE_URL: _1, REDIS_URL: _2, KAFKA_BROKERS: _3, ...env } = process.env
    const ports = Object.fromEntries(await Promise.all(PORTS.map(async (key) => [key, String(await freePort())])))
    const launcher = spawn(process.execPath, ['deploy/local/start.mjs'], {
      cwd: ROOT,
      env: { ...env, ...ports, ...more, SERVICES_BUILT: 'true', STATE_DIR: folder, NODE_OPTIONS: '' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const stack = new WholeStack(folder, launcher)
    await eventually(() => stack.expectStarted(), { deadline: START })
    return stack
  }

  get demo(): DemoFile {
    return JSON.parse(readFileSync(this.demoFile, 'utf8')) as DemoFile
  }

  get connection(): DemoConnection {
    return this.demo.applications[0]!.connections[0]!
  }

  /** What programs of a partner read from their environment. */
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

  /** Tests are in more of a hurry than partners. */
  async liftLimits(): Promise<void> {
    const { ops, applications } = this.demo
    const much = { per_minute: 1_000_000, burst: 100_000 }
    const limits = { feed: much, reads: much, mutations: much, ari: much }
    const { status } = await fetch(`${ops.base_url}/applications/${applications[0]!.application_id}/limits`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${ops.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ limits, reason: 'test' }),
    })
    if (status !== 200) throw new Error(`limits were not lifted: ${status}`)
  }

  /** A file for programs of a test, gone with the stack. */
  file(name: string): string {
    return join(this.folder, name)
  }

  /** What a service has logged. */
  log(service: string): string {
    return readFileSync(join(this.folder, 'logs', `${service}.log`), 'utf8')
  }

  /** The booking engine confirms one more booking of the first property, or changes or cancels one. */
  async book(...change: ('--modify' | '--cancel')[]): Promise<void> {
    await this.run('deploy/local/demo-book.mjs', ...change)
  }

  async stop(): Promise<void> {
    if (this.launcher.exitCode === null) {
      const ended = once(this.launcher, 'close')
      this.launcher.kill('SIGTERM')
      await ended
    }
    // It knows where else the stack has put something.
    await this.run('deploy/local/reset.mjs')
  }

  private async run(...command: string[]): Promise<void> {
    const env = { ...process.env, STATE_DIR: this.folder }
    await promisify(execFile)(process.execPath, command, { cwd: ROOT, env })
  }

  private get demoFile(): string {
    return join(this.folder, 'demo.json')
  }

  private expectStarted(): void {
    if (this.launcher.exitCode !== null) throw new Error(`npm start ended with ${this.launcher.exitCode}`)
    if (!existsSync(this.demoFile)) throw new Error('not started yet')
  }
}
