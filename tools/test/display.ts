// Shows suites to a person: a line for each, a moving line while they run, and the failures at the end.
import { line, moving, seconds } from '../../deploy/local/bootstrap/machine/progress.mjs'
import type { Progress, SuiteResult } from './progress.ts'

const INTERVAL = 500
const WIDTH = 100

/** Prints suites as they end. */
export class Display {
  private readonly running = new Map<string, number>()
  private readonly timer: NodeJS.Timeout
  private suites = 0
  private done = 0
  private failed = 0

  constructor() {
    this.timer = setInterval(() => this.move(), INTERVAL)
  }

  show(progress: Progress): void {
    if (progress.kind === 'run') this.suites = progress.suites
    if (progress.kind === 'begin') this.running.set(progress.suite, Date.now())
    if (progress.kind === 'end') this.end(progress)
    this.move()
  }

  stop(): void {
    clearInterval(this.timer)
    moving('')
  }

  private end(result: SuiteResult): void {
    this.running.delete(result.suite)
    this.done += 1
    if (result.failed > 0) this.failed += 1
    line(suiteLine(result))
  }

  private move(): void {
    const now = Date.now()
    const running = [...this.running].map(([suite, from]) => `${suite} ${Math.round((now - from) / 1000)} s`)
    const failed = this.failed > 0 ? `, ${this.failed} failed` : ''
    moving(`${this.done}/${this.suites} suites${failed} · ${running.join(' · ')}`)
  }
}

const suiteLine = ({ suite, passed, failed, skipped, ms }: SuiteResult): string => {
  const counts = [`${passed} passed`, failed > 0 && `${failed} failed`, skipped > 0 && `${skipped} skipped`]
  return `${failed > 0 ? 'FAIL' : 'ok  '} ${suite.padEnd(WIDTH - 40)} ${counts.filter(Boolean).join(', ')} (${seconds(ms)})`
}

/** Text of a failed suite: its failures, its log, and the command that runs it again. */
export function failureText({ suite, message }: SuiteResult, log: string | undefined, seed: number): string {
  const where = log ? [`  log: ${log}`] : []
  return ['', `FAIL ${suite}`, message.trimEnd(), ...where, `  again: npm test -- ${suite} --seed ${seed}`].join('\n')
}
