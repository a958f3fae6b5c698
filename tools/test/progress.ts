/** A suite that has ended. */
export interface SuiteResult {
  /** Path of its file from the repository's root. */
  suite: string
  passed: number
  /** Tests that failed; 1 for a suite that could not run or left something open. */
  failed: number
  skipped: number
  ms: number
  /** Full names of the failed tests. */
  failures: string[]
  /** Jest's account of the failures, for a person. */
  message: string
}

/** A message from Jest's reporter. */
export type Progress =
  { kind: 'run'; suites: number } | { kind: 'begin'; suite: string } | ({ kind: 'end' } & SuiteResult)
