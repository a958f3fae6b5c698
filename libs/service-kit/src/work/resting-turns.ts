import { setImmediate as otherWork } from 'node:timers/promises'
import { FairQueue } from './fair-queue.js'

/** Rests after a piece of work, in multiples of the time that it took. */
export interface Rests {
  /** Rest before the next piece of the same name. */
  own: number
  /** Rest before the next piece of any name. */
  all: number
}

/** Longest rest, ms. */
const LONGEST = 500

/**
 * Turns for work that keeps the process busy for milliseconds: one piece at a time, names in turn, with rests in
 * between. As long as no rest exceeds 500 ms, a name gets at most 1 / (1 + `own`) of the process's time, all together 1
 * / (1 + `all`).
 */
export class RestingTurns {
  private readonly queue = new FairQueue({
    mayBegin: (name, _own, all) => all < 1 && !this.areAllResting && !this.resting.has(name),
  })
  private areAllResting = false
  private readonly resting = new Set<string>()

  constructor(private readonly rests: Rests) {}

  /** Does work when its turn comes. */
  async run<T>(name: string, work: () => T | Promise<T>): Promise<T> {
    await this.queue.enter(name)?.begun
    const begunAt = performance.now()
    try {
      return await work()
    } finally {
      this.end(name, performance.now() - begunAt)
    }
  }

  /** Does work in slices when its turn comes, and other work of the process between them. */
  async runInSlices<T>(name: string, slices: Iterator<void, T>): Promise<T> {
    await this.queue.enter(name)?.begun
    let took = 0
    const next = () => {
      const begunAt = performance.now()
      try {
        return slices.next()
      } finally {
        took += performance.now() - begunAt
      }
    }
    try {
      for (let slice = next(); ; slice = next()) {
        if (slice.done) return slice.value
        await otherWork()
      }
    } finally {
      this.end(name, took)
    }
  }

  /** Pieces of a name that wait for their turn. */
  waiting(name: string): number {
    return this.queue.waiting(name)
  }

  /** @param took ms */
  private end(name: string, took: number): void {
    const { own, all } = this.rests
    this.areAllResting = true
    if (own > all) this.resting.add(name)
    this.queue.leave(name)
    this.after(took * all, () => (this.areAllResting = false))
    if (own > all) this.after(took * own, () => this.resting.delete(name))
  }

  private after(rest: number, resume: () => void): void {
    setTimeout(
      () => {
        resume()
        this.queue.advance()
      },
      Math.min(rest, LONGEST),
    )
  }
}
