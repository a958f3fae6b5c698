/** Rules by which items are gathered. */
export interface GatheringRules<Item> {
  /** Batches that may be worked on at once. */
  batches: number
  /** Age from which a batch in progress no longer holds up the next one, ms; 0 if absent. Checked when an item arrives. */
  patience?: number
  /** Largest batch, as the sum of its items' sizes; a single item always fits. Unbounded if absent. */
  most?: number
  /** Size of an item when its batch begins; 1 if absent. */
  size?: (item: Item) => number
}

interface Gathered<Item, Result> {
  item: Item
  resolve: (result: Result) => void
  reject: (reason: unknown) => void
}

/**
 * Works on items in batches. While a batch is worked on, the next one gathers; an item that finds nothing running
 * begins at once, with those that arrive in the same turn of the event loop. A batch begins after the arrival of its
 * items, so that a read is as recent as one for each item alone.
 */
export class Gathering<Item, Result> {
  /** First come, first served. */
  private readonly gathered: Gathered<Item, Result>[] = []
  private running = 0
  private begunAt = 0
  private isScheduled = false

  /** @param work returns one result for each item, in their order; its error is that of every item */
  constructor(
    private readonly rules: GatheringRules<Item>,
    private readonly work: (items: Item[]) => Promise<readonly Result[]>,
  ) {}

  /** Resolves with the item's result once its batch is done. */
  add(item: Item): Promise<Result> {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    this.gathered.push({ item, resolve, reject })
    this.schedule()
    return promise
  }

  private schedule(): void {
    if (this.isScheduled || this.gathered.length === 0 || !this.mayBegin()) return
    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      void this.run(this.next())
      this.schedule()
    })
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
    try {
      const results = await this.work(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => resolve(results[index]!))
    } catch (error) {
      for (const { reject } of batch) reject(error)
    } finally {
      this.running -= 1
      this.schedule()
    }
  }
}
