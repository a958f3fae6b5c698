import { BackgroundLoop } from './background-loop.js'
import { poll } from './poll.js'

/** Interval for finding pieces left by other, possibly crashed, processes, ms. */
const POLL = 1_000
/** Longest time for which an answer waits for the pieces of its request, ms. */
const PATIENCE = 3_000
/** Interval at which an answer looks for pieces of its request, ms. */
const LOOK = 10

/** Pieces of work that requests have stored in the database. */
export interface Pieces {
  /** Does one piece and removes it, in one transaction; false if no piece may be done now. */
  doNext: () => Promise<boolean>
  /** Whether pieces of a request are left; null: of any. */
  areLeft: (requestId: string | null) => Promise<boolean>
  /** Pause while no piece may be done but some are left, ms. */
  pause: number
  /** Gets the error of a piece, which is tried again after a second. */
  failed: (error: unknown) => void
}

/** Does stored work piece by piece in the background. If the process crashes, another one continues. */
export class PiecewiseWork {
  private readonly loop: BackgroundLoop

  constructor(private readonly pieces: Pieces) {
    this.loop = new BackgroundLoop(
      () => this.round(),
      (error) => {
        pieces.failed(error)
        return POLL
      },
    )
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /** Begins at once, because pieces have been stored. */
  wake(): void {
    this.loop.wake()
  }

  /** Resolves once all pieces of a committed request are done, after 3 s at most; the others are done later. */
  async settle(requestId: string): Promise<void> {
    const isDone = async () => ((await this.pieces.areLeft(requestId)) ? null : true)
    await poll(isDone, { within: PATIENCE, every: LOOK })
  }

  private async round(): Promise<number> {
    if (await this.pieces.doNext()) return 0
    return (await this.pieces.areLeft(null)) ? this.pieces.pause : POLL
  }
}
