/** End of a partition's log, and first offset that has not taken effect. */
export interface PartitionState {
  partition: number
  end: bigint
  applied: bigint
}

/** From when on messages up to an end were known to be in the log. */
interface KnownEnd {
  end: bigint
  /** ms, monotonic */
  at: number
}

/** Ends kept for a partition; of more, every other one is forgotten. */
const MOST_ENDS = 1_000

/** Age of the oldest message that is known to be in a log and has not taken effect, from looks at its ends. */
export class LogAge {
  private readonly partitions = new Map<number, KnownEnd[]>()
  /** Ends at the first look: messages before them are older than this process knows by its looks. */
  private readonly firstEnds = new Map<number, bigint>()
  private hasLooked = false
  private lastLook: number
  /** Since when the oldest message that has not taken effect has been known, ms; null when there is none. */
  private oldest: number | null = null

  /**
   * @param patience time without a look after which the log counts as unknown, ms
   * @param now ms, monotonic, as in all calls
   */
  constructor(
    private readonly patience: number,
    now: number,
  ) {
    this.lastLook = now
  }

  /** Partitions with messages from before the first look that have not taken effect: their age has to be asked for. */
  inherited(states: readonly PartitionState[]): readonly PartitionState[] {
    for (const { partition, end } of states) if (!this.firstEnds.has(partition)) this.firstEnds.set(partition, end)
    return states.filter(({ partition, applied }) => applied < this.firstEnds.get(partition)!)
  }

  /**
   * Takes the state of every partition at a moment.
   * @param inheritedAge age of the oldest message from before the first look that has not taken effect, ms; 0 if none
   */
  look(states: readonly PartitionState[], now: number, inheritedAge = 0): void {
    this.lastLook = now
    this.hasLooked = true
    for (const state of states) this.partitions.set(state.partition, this.endsOf(state, now))
    const times = [...this.partitions.values()].flatMap((known) => known[0]?.at ?? [])
    this.oldest = times.length > 0 ? Math.min(...times, now - inheritedAge) : null
  }

  /**
   * 0 when everything in the log had taken effect at the last look; grows while no look succeeds, and from the start to
   * the first look.
   */
  milliseconds(now: number): number {
    const age = this.oldest === null ? 0 : now - this.oldest
    const unknownFor = now - this.lastLook
    return Math.round(Math.max(age, this.hasLooked && unknownFor <= this.patience ? 0 : unknownFor))
  }

  /** Ends beyond what has taken effect, by when they were first known. */
  private endsOf({ partition, end, applied }: PartitionState, now: number): KnownEnd[] {
    const known = (this.partitions.get(partition) ?? []).filter((one) => one.end > applied)
    if (end > applied && (known.at(-1)?.end ?? 0n) < end) known.push({ end, at: now })
    return known.length > MOST_ENDS ? known.filter((_end, index) => index % 2 === 0) : known
  }
}
