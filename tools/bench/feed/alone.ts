// The feed as the only service, on a PostgreSQL and a Kafka for the benchmark alone.
import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { command } from '../../../deploy/local/bootstrap/processes/command.mjs'
import { node } from '../../../deploy/local/bootstrap/install/install.mjs'
import { holdFree } from '../../../deploy/local/machine/ports.ts'
import { until } from '@connectivity/toolkit/until'
import { newClusterId } from '../../../deploy/local/parts/cluster-id.ts'
import { prepareDatabases } from '../../../deploy/local/parts/databases.ts'
import { startParts } from '../../../deploy/local/parts/parts.ts'
import { spawnIntoLog } from '../../../deploy/local/bootstrap/processes/child.mjs'
import type { Stack } from '../../../deploy/local/bootstrap/processes/stack.mjs'
import { withThrowAwayStack } from '../../../deploy/local/processes/throw-away-stack.ts'
import { runTargets } from '../../../deploy/local/services/build.ts'
import { createTopics } from '../../../deploy/local/services/deploy-steps.ts'
import type { Pids } from '@connectivity/toolkit/cpu'
import { present } from '@connectivity/toolkit/present'

const READY_LIMIT = 60_000

/** Runs `work` with a `FeedAlone`; everything is ended and removed afterwards. */
export async function withFeedAlone(work: (alone: FeedAlone) => Promise<void>): Promise<void> {
  await withThrowAwayStack('connectivity-bench-', async (stack: Stack) => {
    const [postgres, redis, kafka, controller, feed] = await Promise.all([
      holdFree(),
      holdFree(),
      holdFree(),
      holdFree(),
      holdFree(),
    ])
    const options = { password: randomBytes(12).toString('hex'), clusterId: newClusterId(), jvmOptions: [] }
    const { adminUrl, brokers } = await startParts(stack, { postgres, redis, kafka, controller }, options)
    await runTargets(['build'], { logDir: stack.logDir, onStart: stack.track })
    await createTopics({ brokers, logDir: stack.logDir, onStart: stack.track })
    const words = { owner: options.password, runtime: options.password }
    const { ownerUrls } = await prepareDatabases(adminUrl, { reservation_feed: words })
    const databaseUrl = present(ownerUrls.reservation_feed, 'database')
    const env = { NODE_ENV: 'development', DATABASE_URL: databaseUrl }
    const log = join(stack.logDir, 'migrate.log')
    await command(node, ['apps/reservation-feed/dist/migrate.js'], { env, log, onStart: stack.track })
    await feed.release()
    const alone = new FeedAlone(stack, { brokers, databaseUrl, port: feed.port })
    try {
      await alone.sql.connect()
      await work(alone)
    } finally {
      await alone.stop()
      await alone.sql.end()
    }
  })
}

/** Addresses of the feed's parts, and its port. */
interface Places {
  brokers: string[]
  databaseUrl: string
  port: number
}

/** The feed as one process after another. */
export class FeedAlone {
  readonly identityKey = randomBytes(32)
  readonly brokers: string[]
  readonly databaseUrl: string
  readonly origin: string
  readonly port: number
  /** A session in the feed's database. */
  readonly sql: pg.Client
  readonly #stack: Stack
  #process: ChildProcess | undefined

  constructor(stack: Stack, { brokers, databaseUrl, port }: Places) {
    this.#stack = stack
    this.brokers = brokers
    this.databaseUrl = databaseUrl
    this.origin = `http://127.0.0.1:${port}`
    this.port = port
    this.sql = new pg.Client({ connectionString: databaseUrl })
  }

  /** Process ids of the feed and of the parts that it uses. */
  pids(): Record<'feed' | 'PostgreSQL' | 'Kafka', Pids[string]> {
    const entries = this.#stack.pidFile.list()
    const pidOf = (part: string) =>
      present(
        entries.find(({ name }) => name === part),
        part,
      ).pid
    return { feed: this.#process?.pid, PostgreSQL: pidOf('postgres'), Kafka: pidOf('kafka') }
  }

  /** Starts the feed and waits until it is ready. */
  async start(env: Record<string, string> = {}): Promise<void> {
    const given = {
      NODE_ENV: 'production',
      INSTANCE_NAME: 'reservation-feed',
      DATABASE_URL: this.databaseUrl,
      KAFKA_BROKERS: this.brokers.join(','),
      HOST: '127.0.0.1',
      PORT: String(this.port),
      IDENTITY_KEY: this.identityKey.toString('base64'),
      CURSOR_KEYS: `c1:${randomBytes(32).toString('base64')}`,
    }
    const what = { file: node, args: ['apps/reservation-feed/dist/main.js'], env: { ...given, ...env } }
    const child: ChildProcess = spawnIntoLog(what, join(this.#stack.logDir, 'feed.log'), 'a')
    this.#process = child
    this.#stack.track(child)
    const complaint = () => 'the feed did not become ready'
    await until(() => this.#isReady(), { within: READY_LIMIT, every: 20, complaint })
  }

  async stop(): Promise<void> {
    const running = this.#running()
    if (!running) return
    const ended = once(running, 'exit')
    running.kill('SIGTERM')
    await ended
  }

  /** The process unless it has ended. */
  #running(): ChildProcess | undefined {
    return this.#process?.exitCode === null && this.#process.signalCode === null ? this.#process : undefined
  }

  async #isReady(): Promise<boolean> {
    if (!this.#running()) throw new Error('the feed did not start')
    return (await fetch(`${this.origin}/health/ready`).catch(() => null))?.status === 200
  }
}
