/** Work that goes on at once for a name, and what waits for its turn. */
interface Line {
  running: number
  waiting: (() => void)[]
}

/** Runs work of one name at most so often at once, the rest in order of arrival. Names without work are forgotten. */
export class Turns {
  private readonly lines = new Map<string, Line>()

  /** @param atOnce work of one name that runs at the same time */
  constructor(private readonly atOnce: number) {}

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const line = this.lines.get(name) ?? { running: 0, waiting: [] }
    this.lines.set(name, line)
    if (line.running >= this.atOnce) await new Promise<void>((begin) => line.waiting.push(begin))
    else line.running += 1
    try {
      return await work()
    } finally {
      this.end(name, line)
    }
  }

  /** Work of a name that waits for its turn. */
  waiting(name: string): number {
    return this.lines.get(name)?.waiting.length ?? 0
  }

  /** Hands the turn on. */
  private end(name: string, line: Line): void {
    const begin = line.waiting.shift()
    if (begin) return begin()
    line.running -= 1
    if (line.running === 0) this.lines.delete(name)
  }
}
