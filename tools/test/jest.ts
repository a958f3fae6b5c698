// Jest as a child process that reports every suite as it ends.
import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { childEnvironment, root } from '../../deploy/local/bootstrap/config.mjs'
import { node } from '../../deploy/local/bootstrap/install/install.mjs'
import { keptWorkers } from './kept-worker.ts'
import type { Progress, SuiteResult } from './progress.ts'
import type { Track } from './run-node.ts'

const jest = join(root, 'node_modules', 'jest', 'bin', 'jest.js')
/** Default of `exitWithin`, ms. */
const EXIT = 15_000

export interface JestRun {
  /** Patterns and options for Jest. */
  args: readonly string[]
  env: Record<string, string>
  /** Folder for Jest's own output and the suites' logs. */
  logs: string
  track: Track
  /** Time for Jest and its workers to end by themselves after the last suite, ms. */
  exitWithin?: number
  onProgress: (progress: Progress) => void
}

/** Result of a run of Jest. */
export interface JestResult {
  suites: SuiteResult[]
  /** Faults outside of suites, in words. */
  faults: string[]
}

/** Runs Jest to its end. Something that keeps Jest or a worker from ending by itself is a fault. */
export async function runJest({ args, env, logs, track, onProgress, exitWithin = EXIT }: JestRun): Promise<JestResult> {
  const log = join(logs, 'jest.log')
  const output = openSync(log, 'w')
  const reporter = join(root, 'tools/test/suite-reporter.ts')
  const child = spawn(
    node,
    ['--experimental-vm-modules', '--no-warnings', jest, ...args, '--ci', `--reporters=${reporter}`],
    {
      cwd: root,
      env: childEnvironment({ NODE_ENV: 'test', SUITE_LOGS: logs, ...env }),
      stdio: ['ignore', output, output, 'ipc'],
      detached: true,
    },
  )
  closeSync(output)
  track(child)
  const suites: SuiteResult[] = []
  let expected = Infinity
  let patience: NodeJS.Timeout | undefined
  child.on('message', (progress: Progress) => {
    if (progress.kind === 'run') expected = progress.suites
    if (progress.kind === 'end') suites.push(progress)
    // Jest would wait for open handles for ever.
    if (suites.length === expected) patience ??= setTimeout(() => child.kill('SIGKILL'), exitWithin)
    onProgress(progress)
  })
  const [code, signal] = await new Promise<[number | null, NodeJS.Signals | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...ended) => resolve(ended))
  })
  clearTimeout(patience)
  return {
    suites,
    faults: faultsOf({ suites, expected, code, signal, text: readFileSync(log, 'utf8'), kept: keptWorkers(logs) }),
  }
}

interface Ended extends Pick<JestResult, 'suites'> {
  expected: number
  code: number | null
  signal: NodeJS.Signals | null
  /** Jest's own output. */
  text: string
  /** Open handles of workers that did not end by themselves. */
  kept: readonly string[]
}

function faultsOf({ suites, expected, code, signal, text, kept }: Ended): string[] {
  if (signal) return [`Jest was ended by ${signal}: a suite keeps it from ending; close its handles in afterAll.`]
  if (kept.length > 0) return kept.map((what) => `A worker did not end by itself: a suite left open ${what}; close it.`)
  const failed = suites.some((suite) => suite.failed > 0)
  if (suites.length < expected && !failed) return [`Jest ended early with exit code ${code}:\n${text.trimEnd()}`]
  if (code !== 0 && !failed) return [`Jest ended with exit code ${code}:\n${text.trimEnd()}`]
  return []
}
