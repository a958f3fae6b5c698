// A whole stack of a checkout (its own `npm start`), on a data folder that several checkouts use in turn.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../local/machine/until.mjs'

const START_LIMIT = 15 * 60_000
/** How long a booking may take to be counted by the feed, ms. */
const SEEN_LIMIT = 30_000
const LOOK_EVERY = 500

const CONSUMED = /^connectivity_kafka_messages_consumed_total\{topic="booking\.reservations\.v1"\} (\d+)/m
const FAILED =
  /^(connectivity_kafka_batch_failures_total\{.*\} [1-9].*|connectivity_kafka_dead_letters_total\{.*\} [1-9].*|connectivity_http_requests_total\{.*status="500".*\} [1-9].*)$/gm

export class Stack {
  constructor(folder, stateDir) {
    this.folder = folder
    this.env = { ...process.env, STATE_DIR: stateDir }
    this.demoFile = join(stateDir, 'demo.json')
  }

  run(script, args = []) {
    return spawn(process.execPath, [join('deploy/local', script), ...args], {
      cwd: this.folder,
      env: this.env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  }

  /** Resolves when everything is healthy and its demo has gone from booking to feed. */
  async up() {
    this.child = this.run('start.mjs')
    const complaint = () => `${this.folder} did not start`
    const isOver = () => existsSync(this.demoFile) || this.child.exitCode !== null
    await until(isOver, { within: START_LIMIT, every: LOOK_EVERY, complaint })
    if (!existsSync(this.demoFile)) throw new Error(complaint())
    this.demo = JSON.parse(readFileSync(this.demoFile, 'utf8'))
  }

  /** Publishes a change and waits until it has taken effect. */
  async book(kind) {
    const before = await this.consumed()
    const [code] = await once(this.run('demo-book.mjs', kind), 'exit')
    if (code !== 0) throw new Error(`demo-book ${kind.join(' ')} failed`)
    const isSeen = async () => (await this.consumed()) > before
    await until(isSeen, { within: SEEN_LIMIT, every: LOOK_EVERY, complaint: () => 'the feed did not take the booking' })
  }

  /** @throws Error naming every batch, message or request that failed since the start */
  async expectNothingFailed() {
    const failures = []
    for (const name of ['gateway', 'catalog', 'reservation-feed', 'ari', 'event-dispatch']) {
      for (const [line] of (await this.metrics(name)).matchAll(FAILED)) failures.push(`${name}: ${line}`)
    }
    if (failures.length > 0) throw new Error(failures.join('\n'))
  }

  async down() {
    if (!this.child || this.child.exitCode !== null) return
    this.child.kill('SIGINT')
    await once(this.child, 'exit')
  }

  async consumed() {
    return Number(CONSUMED.exec(await this.metrics('reservation-feed'))?.[1] ?? 0)
  }

  async metrics(name) {
    const { health_url } = this.demo.processes[name]
    return (await fetch(new URL('/metrics', health_url))).text()
  }
}
