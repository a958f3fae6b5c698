/** End of a partition's log, and first offset that has not taken effect. */
export interface PartitionState {
  partition: number
  end: bigint
  applied: bigint
}

/** An end of the log, and when it was first known. */
interface KnownEnd {
  end: bigint
  /** ms, monotonic */
  at: number
}

/** Most ends kept for a partition; beyond it, every other one is dropped. */
const MOST_ENDS = 1_000

/** Age of the oldest message known to be in a log and without effect so far, from regular checks of the log's ends. */
export class LogAge {
  private readonly partitions = new Map<number, KnownEnd[]>()
  /** Ends at the first check, or of a shorter log since; the age of messages before them is unknown to this process. */
  private readonly firstEnds = new Map<number, bigint>()
  private hasLooked = false
  private lastLook: number
  /** When the oldest message that has not taken effect was first known, ms; null if there is none. */
  private oldest: number | null = null

  /**
   * @param patience time without a check after which the log counts as unknown, ms
   * @param now ms, monotonic, as in all calls
   */
  constructor(
    private readonly patience: number,
    now: number,
  ) {
    this.lastLook = now
  }

  /** Partitions with messages from before the first check that have not taken effect; their age must be queried. */
  inherited(states: readonly PartitionState[]): readonly PartitionState[] {
    for (const { partition, end } of states) {
      const first = this.firstEnds.get(partition)
      if (first === undefined || end < first) this.firstEnds.set(partition, end)
    }
    return states.filter(({ partition, applied }) => applied < this.firstEnds.get(partition)!)
  }

  /**
   * Records the state of every partition at a moment.
   * @param inheritedAge age of the oldest message from before the first check that has not taken effect, ms; 0 if none
   */
  look(states: readonly PartitionState[], now: number, inheritedAge = 0): void {
    this.lastLook = now
    this.hasLooked = true
    for (const state of states) this.partitions.set(state.partition, this.endsOf(state, now))
    const times = [...this.partitions.values()].flatMap((known) => known[0]?.at ?? [])
    this.oldest = times.length > 0 ? Math.min(...times, now - inheritedAge) : null
  }

  /**
   * Age, ms: 0 if everything in the log had taken effect at the last check; grows while checks fail, and from the start
   * to the first check.
   */
  milliseconds(now: number): number {
    const age = this.oldest === null ? 0 : now - this.oldest
    const unknownFor = now - this.lastLook
    return Math.round(Math.max(age, this.hasLooked && unknownFor <= this.patience ? 0 : unknownFor))
  }

  /** Returns the known ends after the applied messages, oldest first. Drops ends of a log that was recreated since. */
  private endsOf({ partition, end, applied }: PartitionState, now: number): KnownEnd[] {
    const known = (this.partitions.get(partition) ?? []).filter((one) => one.end > applied && one.end <= end)
    if (end > applied && (known.at(-1)?.end ?? 0n) < end) known.push({ end, at: now })
    return known.length > MOST_ENDS ? known.filter((_end, index) => index % 2 === 0) : known
  }
}
