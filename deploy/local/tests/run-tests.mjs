// The whole of `npm test`, on parts that live in a temporary folder and end with it.
import { randomBytes } from 'node:crypto'
import { holdFree } from '../machine/ports.mjs'
import { say } from '../machine/progress.mjs'
import { explain } from '../machine/run.mjs'
import { newClusterId } from '../parts/cluster-id.mjs'
import { startParts } from '../parts/parts.mjs'
import { withThrowAwayStack } from '../processes/throw-away-stack.mjs'
import { createTopics } from '../services/deploy-steps.mjs'
import { check } from './checks.mjs'
import { surviveFaults } from './faults.mjs'
import { countTests } from './jest.mjs'

async function throwAwayParts(stack) {
  const [postgres, redis, kafka, controller] = await Promise.all([holdFree(), holdFree(), holdFree(), holdFree()])
  const options = { password: randomBytes(12).toString('hex'), clusterId: newClusterId() }
  const parts = await startParts(stack, { postgres, redis, kafka, controller }, { ...options, throwAway: true })
  return { DATABASE_URL: parts.adminUrl, REDIS_URL: parts.redisUrl, KAFKA_BROKERS: parts.brokers.join(',') }
}

/** As in a deployment: tests that would create them themselves need not agree on the number of partitions. */
async function topicsOf({ KAFKA_BROKERS }, { logDir, track }) {
  try {
    await createTopics({ brokers: KAFKA_BROKERS.split(','), logDir, onStart: track })
    return []
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`)
    return ['create-topics']
  }
}

async function all(stack, args) {
  const targets = args.length === 0 ? ['lint', 'typecheck', 'build'] : ['build']
  const [env, failedChecks] = await Promise.all([throwAwayParts(stack), check(targets, stack)])
  const failedBefore = [...failedChecks, ...(await topicsOf(env, stack))]
  const { passed, failed } = await countTests(args, env, stack)
  if (failedBefore.length > 0) say(`beside the tests failed: ${failedBefore.join(', ')}`)
  if (args.length > 0) return { passed, failed: failed + failedBefore.length }
  // Alone on the machine: it slows down what runs beside it, and is slowed down.
  const survived = await surviveFaults(stack)
  return { passed: passed + Number(survived), failed: failed + failedBefore.length + Number(!survived) }
}

/** Runs checks and tests, ends what they needed, prints the count as the last line; resolves with the exit code. */
export async function runTests(args) {
  const { passed, failed } = await withThrowAwayStack('partner-connectivity-test-', (stack) =>
    all(stack, args).catch((error) => {
      process.stderr.write(`\n${explain(error)}\n`)
      return { passed: 0, failed: 1 }
    }),
  )
  process.stdout.write(`${passed} passed, ${failed} failed\n`)
  return failed === 0 ? 0 : 1
}
