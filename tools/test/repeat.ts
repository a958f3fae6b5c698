// Repeats `npm test`, each time in another order, and names the tests that were not green every time.
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { childEnvironment, root, testResults } from '../../deploy/local/bootstrap/config.mjs'
import { command } from '../../deploy/local/bootstrap/processes/command.mjs'
import { node } from '../../deploy/local/bootstrap/install/install.mjs'
import { say } from '../../deploy/local/bootstrap/machine/progress.mjs'
import { spawnIntoLog } from '../../deploy/local/bootstrap/processes/child.mjs'
import type { Stack } from '../../deploy/local/bootstrap/processes/stack.mjs'
import { withThrowAwayStack } from '../../deploy/local/processes/throw-away-stack.ts'
import type { Options } from './options.ts'
import { readReport, type Report } from './results.ts'
import { exitCodeOf, type Track } from './run-node.ts'

interface Series extends Options {
  runs: number
}

/** One run of a series. */
interface Run {
  seed: number
  /** Null when it ended without a report. */
  report: Report | null
  /** Lines that it printed. */
  lines: number
  output: string
}

/** Seeds of a series follow from its first one. */
const seedOf = (first: number, index: number): number => (first + index * 7_919) % (2 ** 31 - 1)

/** @returns the exit code: 0 when every run was green */
export function repeat(series: Series): Promise<number> {
  return withThrowAwayStack('partner-connectivity-repeat-', async (stack: Stack) => {
    const stop = series.busy ? takeOneCore(stack.track) : () => undefined
    try {
      const runs: Run[] = []
      for (let index = 0; index < series.runs && !stack.isEnding; index++) {
        runs.push(await runOne(series, seedOf(series.seed, index), stack))
        say(`run ${index + 1} of ${series.runs}: ${words(runs.at(-1)!)}`)
      }
      process.stdout.write(summary(runs))
      return runs.every(isGreen) ? 0 : 1
    } finally {
      stop()
    }
  })
}

/** Keeps one core busy. @returns a function that ends it */
function takeOneCore(track: Track): () => void {
  const child = spawn(node, ['-e', 'for (;;);'], { env: childEnvironment(), stdio: 'ignore', detached: true })
  track(child)
  return () => void child.kill('SIGKILL')
}

async function runOne(series: Series, seed: number, stack: Stack): Promise<Run> {
  const folder = join(testResults, String(seed))
  mkdirSync(folder, { recursive: true })
  const output = join(folder, 'output.txt')
  const place = series.clean ? await freshClone(stack) : { cwd: root, env: {}, remove: () => undefined }
  const own = ['--seed', String(seed), ...(series.reverse ? ['--reverse'] : []), ...(series.unit ? ['--unit'] : [])]
  const title = series.title === undefined ? [] : ['--title', series.title]
  try {
    const args = ['test', '--', ...series.suites, ...own, ...title]
    const env = { TEST_RESULTS: testResults, ...place.env }
    await exitCodeOf(spawnIntoLog({ file: 'npm', args, cwd: place.cwd, env }, output, 'w'), stack.track)
  } finally {
    place.remove()
  }
  const lines = readFileSync(output, 'utf8').split('\n').length - 1
  return { seed, report: reportOf(seed), lines, output }
}

interface Place {
  cwd: string
  env: Record<string, string>
}

/** Clones HEAD as a newcomer would: no packages, no build, empty caches of npm, Maven and Nx. */
async function freshClone(stack: Stack): Promise<Place & { remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-connectivity-clone-'))
  const cwd = join(folder, 'clone')
  const log = join(stack.logDir, 'clone.log')
  await command('git', ['clone', '--quiet', '--no-hardlinks', root, cwd], { log, onStart: stack.track })
  const env = {
    npm_config_cache: join(folder, 'npm'),
    // Nx shares its results between clones of one repository.
    NX_CACHE_DIRECTORY: join(folder, 'nx'),
    MAVEN_OPTS: `${process.env.MAVEN_OPTS ?? ''} -Dmaven.repo.local=${join(folder, 'maven')}`,
    PATH: pathWithoutPackages(),
  }
  return { cwd, env, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** PATH without the programs of this clone's packages, which npm puts in front. */
const pathWithoutPackages = (): string =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter)

function reportOf(seed: number): Report | null {
  try {
    return readReport(testResults, seed)
  } catch {
    return null
  }
}

const isGreen = ({ report }: Run): boolean => report !== null && report.failed === 0

function minutes(ms: number): string {
  const seconds = Math.round(ms / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

const words = ({ seed, report, lines, output }: Run): string =>
  report === null
    ? `seed ${seed} ended without a report: ${output}`
    : `seed ${seed}, ${report.passed} passed, ${report.failed} failed, ${minutes(report.ms)}, ${lines} lines`

function summary(runs: readonly Run[]): string {
  const failures = new Map<string, number[]>()
  for (const { seed, report, output } of runs) {
    const named = report?.failures ?? [`no report, see ${output}`]
    for (const name of named) failures.set(name, [...(failures.get(name) ?? []), seed])
  }
  const green = runs.filter(isGreen).length
  const red = [...failures].map(
    ([name, seeds]) => `${seeds.length} of ${runs.length}: ${name} (seeds ${seeds.join(', ')})`,
  )
  const notGreen = red.length === 0 ? [] : ['', 'Not green every time:', ...red]
  return `${[...notGreen, '', `${green} passed, ${runs.length - green} failed`].join('\n')}\n`
}
