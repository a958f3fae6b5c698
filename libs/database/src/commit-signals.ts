/** A signal to listeners in this process that a transaction with a certain effect has committed. */
export class CommitSignal {
  /** @param name shown in a debugger */
  constructor(readonly name: string) {}
}

/** Effect of a commit: a signal to give or a function to call. */
export type CommitEffect = CommitSignal | (() => void)

/** The transaction has written to the outbox. */
export const OUTBOX_WRITTEN = new CommitSignal('outbox written')

/** Listeners to commits. */
export class CommitListeners {
  private readonly listeners = new Map<CommitSignal, Set<() => void>>()

  /** @returns removes the listener */
  add(signal: CommitSignal, listener: () => void): () => void {
    const registered = this.listeners.get(signal) ?? new Set()
    this.listeners.set(signal, registered.add(listener))
    return () => registered.delete(listener)
  }

  /** Gives the signals and calls the functions. */
  give(effects: Iterable<CommitEffect>): void {
    for (const effect of effects) {
      if (typeof effect === 'function') effect()
      else for (const listener of this.listeners.get(effect) ?? []) listener()
    }
  }
}
