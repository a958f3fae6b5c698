/** Rules by which items are gathered. */
export interface GatheringRules<Item> {
  /** Batches that may be worked on at once. */
  batches: number
  /**
   * Age from which a batch in progress no longer holds up the next one, ms; 0 if absent. Checked when an item arrives.
   */
  patience?: number
  /**
   * Longest time a batch waits to become as large as the previous one, ms; 0 if absent. Callers that send one request
   * after the other return together, and a batch that starts with the first would miss the rest.
   */
  company?: number
  /** Largest batch, as the sum of its items' sizes; a single item always fits. Unbounded if absent. */
  most?: number
  /** Size of an item when its batch begins; 1 if absent. */
  size?: (item: Item) => number
}

/** Time after a batch for which the same company is expected, ms. */
const EXPECTED_FOR = 100

interface Gathered<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Works on items in batches. While a batch is worked on, the next one gathers; an item that finds nothing running
 * begins at once, with those that arrive in the same turn of the event loop, or waits for company if the rules say so.
 * A batch begins after the arrival of its items, so that a read is as recent as one for each item alone.
 */
export class Gathering<Item, Result> {
  /** First come, first served. */
  private readonly gathered: Gathered<Item, Result>[] = []
  private running = 0
  private begunAt = 0
  private isScheduled = false
  /** Set while a batch waits for company. */
  private waiting: NodeJS.Timeout | null = null
  /** Size of the last batch and of the items that it left behind when it ended, and the time of its end. */
  private last = { size: 0, endedAt: -Infinity }

  /** @param work returns one result for each item, in their order; its error is that of every item */
  constructor(
    private readonly rules: GatheringRules<Item>,
    private readonly work: (items: Item[]) => Promise<readonly Result[]>,
  ) {}

  /** Resolves with the item's result once its batch is done. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.gathered.push({ item, resolve, reject })
    this.grown()
    this.schedule()
    return promise
  }

  /** Called when an item that waits has become larger: a batch that waits for company may have it now. */
  grown(): void {
    if (this.waiting === null || !this.isComplete()) return
    clearTimeout(this.waiting)
    this.waiting = null
    setImmediate(() => this.begin())
  }

  private schedule(): void {
    if (this.isScheduled || this.gathered.length === 0 || !this.mayBegin()) return
    this.isScheduled = true
    if (this.isComplete()) setImmediate(() => this.begin())
    else this.waiting = setTimeout(() => this.begin(), this.rules.company)
  }

  private begin(): void {
    this.isScheduled = false
    this.waiting = null
    void this.run(this.next())
    this.schedule()
  }

  /** Whether a batch that begins now has all the company that it may expect. */
  private isComplete(): boolean {
    const { company = 0, most = Infinity } = this.rules
    if (company === 0 || performance.now() - this.last.endedAt > EXPECTED_FOR) return true
    return this.sizeOf(this.gathered) >= Math.min(this.last.size, most)
  }

  private sizeOf(gathered: readonly Gathered<Item, Result>[]): number {
    const { size = () => 1 } = this.rules
    return gathered.reduce((sum, { item }) => sum + size(item), 0)
  }

  private mayBegin(): boolean {
    const { batches, patience = 0 } = this.rules
    return this.running === 0 || (this.running < batches && performance.now() - this.begunAt >= patience)
  }

  private next(): Gathered<Item, Result>[] {
    const { size = () => 1, most = Infinity } = this.rules
    let [sum, count] = [0, 0]
    for (const { item } of this.gathered) {
      sum += size(item)
      if (count > 0 && sum > most) break
      count += 1
    }
    return this.gathered.splice(0, count)
  }

  private async run(batch: readonly Gathered<Item, Result>[]): Promise<void> {
    this.running += 1
    this.begunAt = performance.now()
    const size = this.sizeOf(batch)
    try {
      const results = await this.work(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => resolve(results[index]!))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.running -= 1
      this.last = { size: size + this.sizeOf(this.gathered), endedAt: performance.now() }
      this.schedule()
    }
  }
}
