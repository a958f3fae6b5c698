// Files that a run keeps: its report, and the logs of failed suites.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SuiteResult } from './progress.ts'

/** Folders of earlier runs that are kept. */
const KEPT = 20

/** One run, as `test:repeat` and later comparisons read it. */
export interface Report {
  seed: number
  passed: number
  failed: number
  skipped: number
  /** Whole run, ms. */
  ms: number
  /** Failures in words: tests with their suite, checks, faults. */
  failures: string[]
  suites: Omit<SuiteResult, 'message'>[]
}

/** The folder of one run: logs while it runs, report and logs of failures afterwards. */
export class Results {
  private readonly folder: string
  readonly logs: string

  /** @param base folder of all runs; the oldest ones beyond 20 are removed */
  constructor(base: string, seed: number) {
    forgetOld(base)
    this.folder = join(base, String(seed))
    this.logs = join(this.folder, 'logs')
    rmSync(this.logs, { recursive: true, force: true })
    mkdirSync(this.logs, { recursive: true })
  }

  /** Path of the suite's log; undefined when it wrote none. */
  logOf(suite: string): string | undefined {
    const log = join(this.logs, `${suite}.log`)
    return existsSync(log) ? log : undefined
  }

  /** Writes the report, and keeps the logs of the run only if something failed. */
  keep(report: Report): void {
    writeFileSync(join(this.folder, 'report.json'), `${JSON.stringify(report, null, 1)}\n`)
    if (report.failed === 0) return rmSync(this.logs, { recursive: true })
    for (const { suite, failed } of report.suites) {
      if (failed === 0) rmSync(join(this.logs, `${suite}.log`), { force: true })
    }
  }
}

/** @throws when the run has not ended and so has no report */
export const readReport = (base: string, seed: number): Report =>
  JSON.parse(readFileSync(join(base, String(seed), 'report.json'), 'utf8')) as Report

function forgetOld(base: string): void {
  if (!existsSync(base)) return
  const folders = readdirSync(base).map((name) => join(base, name))
  const newestFirst = folders.toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)
  for (const folder of newestFirst.slice(KEPT - 1)) rmSync(folder, { recursive: true, force: true })
}
