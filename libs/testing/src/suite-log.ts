import { appendFileSync } from 'node:fs'

/**
 * Adds a line to the suite's log, which the test run names when the suite fails; does nothing outside of a test run.
 */
export function writeSuiteLog(line: string): void {
  if (process.env.SUITE_LOG) appendFileSync(process.env.SUITE_LOG, `${line}\n`)
}
