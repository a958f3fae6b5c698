/** Rules by which a queue decides. */
export interface FairQueueRules {
  /**
   * Whether work of a name may begin now.
   * @param own work of the name that runs
   * @param all work of every name that runs
   */
  mayBegin: (name: string, own: number, all: number) => boolean
  /** Called when work of a name begins, before the next name is judged. */
  onBegin?: (name: string) => void
  /** Called when nothing runs or waits. */
  onIdle?: () => void
}

/** Work that waits for its turn. */
export interface Waiting {
  /** Resolves when the work may begin; call `leave` when it has ended. */
  readonly begun: Promise<void>
  /** Takes the work out of the queue: `begun` rejects with the reason. Has no effect once the work may begin. */
  giveUp: (reason: unknown) => void
}

/** Limits of the wait for a turn. */
export interface WaitOptions {
  /** Longest wait, ms; without it the wait is unbounded. */
  ms?: number | undefined
  /** Error of a wait that takes longer. */
  late: () => Error
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined
}

/**
 * Waits for the turn of work that has entered a queue; call `leave` when the work has ended.
 * @param waiting what `enter` returned
 * @throws the error of `late`, or the signal's reason; the work is out of the queue then
 */
export async function waitForTurn(waiting: Waiting | null, { ms, late, signal }: WaitOptions): Promise<void> {
  if (waiting === null) return
  const abort = () => waiting.giveUp(signal?.reason)
  signal?.addEventListener('abort', abort)
  const timer = ms === undefined ? undefined : setTimeout(() => waiting.giveUp(late()), ms)
  try {
    await waiting.begun
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', abort)
  }
}

interface Line {
  running: number
  /** First come, first served. */
  readonly waiting: (() => void)[]
}

/**
 * Shares places among names, for example the connections of partners: the name with the least work in progress comes
 * first, names with equally much take turns, and work of one name begins in the order of its arrival. Names without
 * work are forgotten.
 */
export class FairQueue {
  private running = 0
  private readonly lines = new Map<string, Line>()
  /** Names with waiting work; the one served last comes last. */
  private readonly turns = new Map<string, Line>()

  constructor(private readonly rules: FairQueueRules) {}

  /**
   * Runs `work` when its turn comes.
   * @param limits of the wait, which is unbounded without them
   * @throws the error that ends the wait, see `waitForTurn`
   */
  async run<T>(name: string, work: () => Promise<T>, limits?: WaitOptions): Promise<T> {
    limits?.signal?.throwIfAborted()
    const waiting = this.enter(name)
    await (limits ? waitForTurn(waiting, limits) : waiting?.begun)
    try {
      return await work()
    } finally {
      this.leave(name)
    }
  }

  /** @returns null when the work may begin at once */
  enter(name: string): Waiting | null {
    const line = this.lineOf(name)
    if (line.waiting.length === 0 && this.mayBegin(name, line)) {
      this.begin(name, line)
      return null
    }
    return this.wait(name, line)
  }

  /** Reports that work of the name has ended. */
  leave(name: string): void {
    const line = this.lines.get(name)!
    line.running -= 1
    this.running -= 1
    this.advance()
    this.forget(name, line)
  }

  /** Begins work that may begin; call it when `mayBegin` changes its answer for any other reason than `leave`. */
  advance(): void {
    for (let next = this.next(); next; next = this.next()) {
      const [name, line] = next
      this.begin(name, line)
      line.waiting.shift()!()
      this.turns.delete(name)
      if (line.waiting.length > 0) this.turns.set(name, line)
    }
  }

  /** The waiting name whose work begins next; undefined when none may begin. */
  private next(): [string, Line] | undefined {
    let next: [string, Line] | undefined
    for (const turn of this.turns) {
      const [name, line] = turn
      if (next && line.running >= next[1].running) continue
      if (!this.mayBegin(name, line)) continue
      next = turn
      if (line.running === 0) break
    }
    return next
  }

  /** Names with waiting work, the next one first. */
  waitingNames(): Iterable<string> {
    return this.turns.keys()
  }

  /** Number of waiting tasks of a name. */
  waiting(name: string): number {
    return this.lines.get(name)?.waiting.length ?? 0
  }

  private mayBegin(name: string, { running }: Line): boolean {
    return this.rules.mayBegin(name, running, this.running)
  }

  private begin(name: string, line: Line): void {
    line.running += 1
    this.running += 1
    this.rules.onBegin?.(name)
  }

  private wait(name: string, line: Line): Waiting {
    const { promise: begun, resolve, reject } = Promise.withResolvers<void>()
    line.waiting.push(resolve)
    this.turns.set(name, line)
    const giveUp = (reason: unknown): void => {
      const place = line.waiting.indexOf(resolve)
      if (place === -1) return
      line.waiting.splice(place, 1)
      if (line.waiting.length === 0) this.turns.delete(name)
      this.forget(name, line)
      reject(reason)
    }
    return { begun, giveUp }
  }

  private lineOf(name: string): Line {
    const known = this.lines.get(name)
    if (known) return known
    const line = { running: 0, waiting: [] }
    this.lines.set(name, line)
    return line
  }

  private forget(name: string, { running, waiting }: Line): void {
    if (running > 0 || waiting.length > 0) return
    this.lines.delete(name)
    if (this.lines.size === 0) this.rules.onIdle?.()
  }
}

/** A fair queue for each group of names, for example for each host; groups without work are forgotten. */
export class FairQueues {
  private readonly queues = new Map<string, FairQueue>()

  constructor(private readonly rules: FairQueueRules) {}

  /** The queue of a group, to enter or leave it now. */
  of(group: string): FairQueue {
    const known = this.queues.get(group)
    if (known) return known
    const queue = new FairQueue({ ...this.rules, onIdle: () => this.queues.delete(group) })
    this.queues.set(group, queue)
    return queue
  }

  /** Number of waiting tasks of a name in the group's queue. */
  waiting(group: string, name: string): number {
    return this.queues.get(group)?.waiting(name) ?? 0
  }
}
