// Reports Jest's suites to the test run, over the channel to the parent process.
import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { AggregatedResult, Reporter, Test, TestResult } from '@jest/reporters'
import type { Progress } from './progress.ts'

const send = (progress: Progress): void => void process.send?.(progress)

/** Sends a message for each suite that begins or ends, and appends its console output to its log. */
export default class SuiteReporter implements Pick<Reporter, 'onRunStart' | 'onTestFileStart' | 'onTestFileResult'> {
  onRunStart({ numTotalTestSuites }: AggregatedResult): void {
    send({ kind: 'run', suites: numTotalTestSuites })
  }

  onTestFileStart(test: Test): void {
    send({ kind: 'begin', suite: nameOf(test) })
  }

  onTestFileResult(test: Test, result: TestResult): void {
    const suite = nameOf(test)
    keepConsole(suite, result)
    const failedTests = result.testResults.filter(({ status }) => status === 'failed')
    send({
      kind: 'end',
      suite,
      // A suite that cannot run has no tests that could fail.
      failed: result.numFailingTests + (result.testExecError && result.numFailingTests === 0 ? 1 : 0),
      passed: result.numPassingTests,
      skipped: result.numPendingTests + result.numTodoTests,
      ms: result.perfStats.end - result.perfStats.start,
      failures: failedTests.map(({ fullName }) => fullName),
      message: result.failureMessage ?? '',
    })
  }
}

const nameOf = ({ path, context }: Test): string => relative(context.config.rootDir, path)

function keepConsole(suite: string, { console }: TestResult): void {
  if (!process.env.SUITE_LOGS || !console) return
  const text = console.map(({ message }) => `${message}\n`).join('')
  appendFileSync(join(process.env.SUITE_LOGS, `${suite}.log`), text)
}
