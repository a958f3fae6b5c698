import { LogThrottle, type Occurrence, type Summary } from './log-throttle.js'

/**
 * Log lines about messages, at most one per place and reason in 10 s, see `LogThrottle`. The first is written at once;
 * `stop` writes the open summaries, so no count is lost.
 */
export class ThrottledLog<Place extends object> {
  private readonly throttle = new LogThrottle<Place>()
  private timer: NodeJS.Timeout | undefined
  private isStopped = false

  constructor(private readonly write: (summary: Summary<Place>) => void) {}

  /** Writes a line, or counts the occurrence for the next summary. */
  note(occurrence: Occurrence<Place>): void {
    const now = performance.now()
    const line = this.throttle.note(occurrence, now)
    if (line) this.write(line)
    if (this.isStopped) this.stop()
    else this.schedule(now)
  }

  /** Writes the open summaries; later occurrences are written at once. */
  stop(): void {
    this.isStopped = true
    clearTimeout(this.timer)
    this.timer = undefined
    for (const line of this.throttle.drain()) this.write(line)
  }

  private schedule(now: number): void {
    const { nextDue } = this.throttle
    if (nextDue === null || this.timer) return
    this.timer = setTimeout(() => this.report(), Math.max(0, nextDue - now)).unref()
  }

  private report(): void {
    this.timer = undefined
    const now = performance.now()
    for (const line of this.throttle.due(now)) this.write(line)
    this.schedule(now)
  }
}
