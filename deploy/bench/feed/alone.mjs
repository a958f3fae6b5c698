// The feed as the only service, on a PostgreSQL and a Kafka for the benchmark alone.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import pg from 'pg'
import { command } from '../../local/machine/command.mjs'
import { node } from '../../local/machine/install.mjs'
import { holdFree } from '../../local/machine/ports.mjs'
import { until } from '../../local/machine/until.mjs'
import { newClusterId } from '../../local/parts/cluster-id.mjs'
import { prepareDatabases } from '../../local/parts/databases.mjs'
import { startParts } from '../../local/parts/parts.mjs'
import { spawnIntoLog } from '../../local/processes/child.mjs'
import { withThrowAwayStack } from '../../local/processes/throw-away-stack.mjs'
import { runTargets } from '../../local/services/build.mjs'
import { createTopics } from '../../local/services/deploy-steps.mjs'

const READY_LIMIT = 60_000

/** Runs `work` with a `FeedAlone`; everything is ended and removed afterwards. */
export async function withFeedAlone(work) {
  await withThrowAwayStack('connectivity-bench-', async (stack) => {
    const [postgres, redis, kafka, controller, feed] = await Promise.all(Array.from({ length: 5 }, holdFree))
    const options = { password: randomBytes(12).toString('hex'), clusterId: newClusterId(), jvmOptions: [] }
    const { adminUrl, brokers } = await startParts(stack, { postgres, redis, kafka, controller }, options)
    await runTargets(['build'], { logDir: stack.logDir, onStart: stack.track })
    await createTopics({ brokers, logDir: stack.logDir, onStart: stack.track })
    const words = { owner: options.password, runtime: options.password }
    const { ownerUrls } = await prepareDatabases(adminUrl, { reservation_feed: words })
    const databaseUrl = ownerUrls.reservation_feed
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

class FeedAlone {
  identityKey = randomBytes(32)
  #stack
  #process

  constructor(stack, { brokers, databaseUrl, port }) {
    this.#stack = stack
    this.brokers = brokers
    this.databaseUrl = databaseUrl
    this.origin = `http://127.0.0.1:${port}`
    this.port = port
    this.sql = new pg.Client({ connectionString: databaseUrl })
  }

  /** Process ids of the feed and of the parts that it uses. */
  pids() {
    const pidOf = (name) => this.#stack.pidFile.list().find((entry) => entry.name === name).pid
    return { feed: this.#process?.pid, PostgreSQL: pidOf('postgres'), Kafka: pidOf('kafka') }
  }

  /** Starts the feed and waits until it is ready. */
  async start(env = {}) {
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
    this.#process = spawnIntoLog(what, join(this.#stack.logDir, 'feed.log'), 'a')
    this.#stack.track(this.#process)
    const complaint = () => 'the feed did not get ready'
    await until(() => this.#isReady(), { within: READY_LIMIT, every: 20, complaint })
  }

  async stop() {
    if (!this.#isRunning()) return
    const ended = once(this.#process, 'exit')
    this.#process.kill('SIGTERM')
    await ended
  }

  #isRunning() {
    return this.#process !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  async #isReady() {
    if (!this.#isRunning()) throw new Error('the feed did not start')
    return (await fetch(`${this.origin}/health/ready`).catch(() => null))?.status === 200
  }
}
