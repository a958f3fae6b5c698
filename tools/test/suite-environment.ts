// Sets up a suite's environment, and checks for handles that it leaves open.
import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { poll } from '@connectivity/toolkit/until'
import type { EnvironmentContext, JestEnvironmentConfig } from '@jest/environment'
import type { Circus } from '@jest/types'
import { TestEnvironment } from 'jest-environment-node'
import { noteWhatKeepsWorker } from './kept-worker.ts'
import { openHandles } from './open-handles.ts'
import { deleteTopics } from './suite-topics.ts'

// Create the standard streams now; otherwise they would count as opened by the first suite that uses them.
void [process.stdin, process.stdout, process.stderr]
if (process.env.SUITE_LOGS) noteWhatKeepsWorker(process.env.SUITE_LOGS)

/** Time that sockets and timers of a finished suite have to go, ms. */
const GRACE = 3_000
/** Time before the first check, and between two, ms. */
const FIRST_LOOK = 2
const LOOK_AGAIN = 20

/**
 * Gives each suite its own topics, Redis keys and log, and fails a suite that leaves a socket, a timer or a process
 * open.
 */
export default class SuiteEnvironment extends TestEnvironment {
  private readonly env: NodeJS.ProcessEnv
  private readonly before = openHandles()
  private readonly prefix = `suite-${randomBytes(6).toString('hex')}.`
  private hasFailed = false

  constructor(config: JestEnvironmentConfig, context: EnvironmentContext) {
    super(config, context)
    this.env = (this.global.process as NodeJS.Process).env
    this.env.KAFKA_TOPIC_PREFIX = this.prefix
    if (this.env.REDIS_URL) this.env.REDIS_URL += `?keyPrefix=${this.prefix}`
    if (this.env.SUITE_LOGS) this.env.SUITE_LOG = logOf(this.env.SUITE_LOGS, config.globalConfig.rootDir, context)
  }

  handleTestEvent(event: Circus.Event): void {
    if (event.name === 'hook_failure' || event.name === 'test_fn_failure') this.hasFailed = true
  }

  override async teardown(): Promise<void> {
    if (this.env.SUITE_HAS_TOPICS) await deleteTopics(this.env.KAFKA_BROKERS!.split(','), this.prefix)
    const left = await this.left()
    await super.teardown()
    if (left.length === 0) return
    const message = `The suite ended and left open: ${left.join(', ')}. Close what it opened, in afterAll.`
    if (this.env.SUITE_LOG) appendFileSync(this.env.SUITE_LOG, `${message}\n`)
    // Report the failed test alone: it is the likely cause of the open handle.
    if (this.hasFailed) return
    // Leave the stack out: it holds no line of the suite.
    throw Object.assign(new Error(message), { stack: message })
  }

  /** Handles that were not open before the suite. */
  private async left(): Promise<string[]> {
    // Handles that the last test began to open appear only now.
    await delay(FIRST_LOOK)
    let left: string[] = []
    await poll(() => (left = openHandles(this.before)).length === 0, { within: GRACE, every: LOOK_AGAIN })
    return left
  }
}

function logOf(folder: string, root: string, { testPath }: EnvironmentContext): string {
  const log = join(folder, `${relative(root, testPath)}.log`)
  mkdirSync(dirname(log), { recursive: true })
  return log
}
