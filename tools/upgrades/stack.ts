// A whole stack of a checkout (its own `npm start`), on a data folder that several checkouts use in turn.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '@connectivity/toolkit/until'
import { environmentWith } from '@connectivity/toolkit/config'
import { metricsOf } from '@connectivity/toolkit/metrics'

const START_LIMIT = 15 * 60_000
/** Longest time until the feed counts a booking, ms. */
const SEEN_LIMIT = 30_000
const LOOK_EVERY = 500

const CONSUMED = /^connectivity_kafka_messages_consumed_total\{topic="booking\.reservations\.v1"\} (\d+)/m
const FAILED =
  /^(connectivity_kafka_batch_failures_total\{.*\} [1-9].*|connectivity_kafka_dead_letters_total\{.*\} [1-9].*|connectivity_http_requests_total\{.*status="500".*\} [1-9].*)$/gm

/** The script that publishes a booking: older releases have it as .mjs. */
const BOOK = ['demo-book.ts', 'demo-book.mjs']

/** Fields of a stack's demo.json that are used. */
interface DemoFile {
  processes: Record<string, { health_url: string }>
}

/** The stack of the checkout in `folder`, with its data in `stateDir`. */
export class Stack {
  private readonly folder: string
  private readonly env: NodeJS.ProcessEnv
  private readonly demoFile: string
  private child?: ChildProcess
  private demo?: DemoFile

  constructor(folder: string, stateDir: string) {
    this.folder = folder
    this.env = environmentWith({ STATE_DIR: stateDir })
    this.demoFile = join(stateDir, 'demo.json')
  }

  private run(script: string, args: readonly string[] = []): ChildProcess {
    return spawn(process.execPath, [join('deploy/local', script), ...args], {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  }

  /** Resolves when everything is healthy and its demo has gone from booking to feed. */
  async up(): Promise<void> {
    const child = this.run('start.mjs')
    this.child = child
    const complaint = () => `${this.folder} did not start`
    const isOver = () => existsSync(this.demoFile) || child.exitCode !== null
    await until(isOver, { within: START_LIMIT, every: LOOK_EVERY, complaint })
    if (!existsSync(this.demoFile)) throw new Error(complaint())
    this.demo = JSON.parse(readFileSync(this.demoFile, 'utf8')) as DemoFile
  }

  /** Publishes a change and waits until it has taken effect. */
  async book(kind: readonly string[]): Promise<void> {
    const before = await this.consumed()
    const [code] = (await once(this.run(this.bookScript(), kind), 'exit')) as [number | null]
    if (code !== 0) throw new Error(`demo-book ${kind.join(' ')} failed`)
    const isSeen = async () => (await this.consumed()) > before
    await until(isSeen, { within: SEEN_LIMIT, every: LOOK_EVERY, complaint: () => 'the feed did not count a booking' })
  }

  /** @throws Error naming every batch, message or request that failed since the start */
  async expectNothingFailed(): Promise<void> {
    const failures: string[] = []
    for (const name of ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']) {
      for (const [line] of (await this.metrics(name)).matchAll(FAILED)) failures.push(`${name}: ${line}`)
    }
    if (failures.length > 0) throw new Error(failures.join('\n'))
  }

  async down(): Promise<void> {
    if (!this.child || this.child.exitCode !== null) return
    this.child.kill('SIGINT')
    await once(this.child, 'exit')
  }

  private bookScript(): string {
    const script = BOOK.find((name) => existsSync(join(this.folder, 'deploy/local', name)))
    if (script === undefined) throw new Error(`${this.folder} has no ${BOOK.join(' or ')}`)
    return script
  }

  /** Number of bookings that the feed has consumed. */
  private async consumed(): Promise<number> {
    return Number(CONSUMED.exec(await this.metrics('reservation-feed'))?.[1] ?? 0)
  }

  private async metrics(name: string): Promise<string> {
    const service = this.demo?.processes[name]
    if (!service) throw new Error(`${this.folder} has no ${name}`)
    return metricsOf(service.health_url)
  }
}
