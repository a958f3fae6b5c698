// One run of `npm test`, on parts that live in a temporary folder and end with it.
import { randomBytes } from 'node:crypto'
import { availableParallelism, constants, setPriority } from 'node:os'
import { testResults } from '../../deploy/local/bootstrap/config.mjs'
import { alone } from '../../deploy/local/bootstrap/install/install-lock.mjs'
import { holdFree } from '../../deploy/local/machine/ports.ts'
import { say } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { explain } from '../../deploy/local/bootstrap/machine/run.mjs'
import { newClusterId } from '../../deploy/local/parts/cluster-id.ts'
import { startParts } from '../../deploy/local/parts/parts.ts'
import type { Stack } from '../../deploy/local/bootstrap/processes/stack.mjs'
import { withThrowAwayStack } from '../../deploy/local/processes/throw-away-stack.ts'
import { check, type Failure } from './checks.ts'
import { Display, failureText } from './display.ts'
import { runJest } from './jest.ts'
import type { Options } from './options.ts'
import type { SuiteResult } from './progress.ts'
import { Results } from './results.ts'
import { runNode, type Track } from './run-node.ts'

/** Result of a run. */
interface Outcome {
  suites: SuiteResult[]
  /** Failures beside the suites. */
  faults: Failure[]
  /** Checks beside the suites that passed. */
  passed: number
}

const UNIT = '**/!(*.int|*.e2e).spec.ts'

/** Addresses of throw-away parts, as tests and services read them. */
async function startThrowAwayParts(stack: Stack): Promise<Record<string, string>> {
  const [postgres, redis, kafka, controller] = await Promise.all([holdFree(), holdFree(), holdFree(), holdFree()])
  const options = { password: randomBytes(12).toString('hex'), clusterId: newClusterId() }
  const parts = await startParts(stack, { postgres, redis, kafka, controller }, { ...options, throwAway: true })
  return { DATABASE_URL: parts.adminUrl, REDIS_URL: parts.redisUrl, KAFKA_BROKERS: parts.brokers.join(',') }
}

const jestArguments = ({ suites, seed, unit, title }: Options): string[] => [
  ...suites,
  `--seed=${seed}`,
  // Without servers to wait for, a worker for each core is enough.
  ...(unit ? [`--testMatch=${UNIT}`, `--maxWorkers=${availableParallelism()}`] : []),
  ...(title === undefined ? [] : [`--testNamePattern=${title}`]),
]

async function runSuites(stack: Stack, options: Options, results: Results, env: Record<string, string>) {
  const display = new Display()
  try {
    return await runJest({
      args: jestArguments(options),
      env: { ...env, SUITES_REVERSED: String(options.reverse) },
      logs: results.logs,
      track: stack.track,
      onProgress: (progress) => display.show(progress),
    })
  } finally {
    display.stop()
  }
}

/** Runs a command at low priority, so that it takes only processor time that others leave. */
const aside =
  (track: Track): Track =>
  (child) => {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW)
    track(child)
  }

/** Runs everything, or the part that the options name. */
async function run(stack: Stack, options: Options, results: Results): Promise<Outcome> {
  const isWhole = options.suites.length === 0 && options.title === undefined && !options.unit
  const [env, failedBuild] = await Promise.all([
    options.unit ? {} : startThrowAwayParts(stack),
    alone(() => check(['build'], { logDir: stack.logDir, track: stack.track })),
  ])
  const { suites, faults } = await runSuites(stack, options, results, env)
  // After the suites: faults slow them down, and are slowed down by them. Faults leave half of two cores to the checks.
  const [failedChecks, failedFaults] = isWhole
    ? await Promise.all([
        check(['lint', 'typecheck'], { logDir: stack.logDir, track: aside(stack.track) }),
        runFaults(stack),
      ])
    : [[], []]
  const failed = [...failedBuild, ...failedChecks, ...failedFaults, ...faults.map((text) => ({ name: 'Jest', text }))]
  return { suites, faults: failed, passed: isWhole && failedFaults.length === 0 ? 1 : 0 }
}

/** Runs the short set of faults on a stack of its own; it prints its own report. @returns its failure, or nothing */
async function runFaults(stack: Stack): Promise<Failure[]> {
  const code = await runNode(['tools/faults/faults.ts', '--short'], {}, stack.track)
  return code === 0 ? [] : [{ name: 'faults', text: 'See above: npm run faults -- --short' }]
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)

/** Runs checks and suites, ends their servers, and prints the failures and the count last. @returns the exit code */
export async function runOnce(options: Options): Promise<number> {
  const { seed } = options
  const from = Date.now()
  say(`suites run in the order of seed ${seed} (npm test -- --seed ${seed} repeats it)`)
  const results = new Results(testResults, seed)
  const { suites, faults, passed }: Outcome = await withThrowAwayStack('partner-connectivity-test-', (stack: Stack) =>
    run(stack, options, results).catch((error: unknown): Outcome => {
      return { suites: [], faults: [{ name: 'npm test', text: explain(error) }], passed: 0 }
    }),
  )
  const failed = sum(suites.map((suite) => suite.failed)) + faults.length
  const report = {
    seed,
    passed: sum(suites.map((suite) => suite.passed)) + passed,
    failed,
    skipped: sum(suites.map(({ skipped }) => skipped)),
    ms: Date.now() - from,
    failures: [...suites.flatMap(failuresOf), ...faults.map(({ name }) => name)],
    suites: suites.map(({ message: _message, ...suite }) => suite),
  }
  results.keep(report)
  const text = [
    ...suites.filter((suite) => suite.failed > 0).map((suite) => failureText(suite, results.logOf(suite.suite), seed)),
    ...faults.map(({ name, text }) => `\nFAIL ${name}\n${text.trimEnd()}`),
    `${report.passed} passed, ${failed} failed`,
  ]
  process.stdout.write(`${text.join('\n')}\n`)
  return failed === 0 ? 0 : 1
}

const failuresOf = ({ suite, failed, failures }: SuiteResult): string[] =>
  failed > 0 && failures.length === 0
    ? [`${suite}: could not run, or left something open`]
    : failures.map((test) => `${suite}: ${test}`)
