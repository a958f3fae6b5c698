import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { Database, type Transaction } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { PiecewiseWork } from '@connectivity/service-kit/work'
import { ReplayStore } from './replay.store.js'
import { BACKLOG_CHANGED, DELIVERIES_DUE } from './backlog-signals.js'
import { type BacklogChange, BacklogChangeStore, PIECE } from './backlog-change.store.js'
import { WaitingDeliveriesStore } from './waiting-deliveries.store.js'

/** Pause while every connection with changes is between two pieces, ms. */
const PAUSE = 10

/**
 * Changes backlogs piece by piece. Each piece is a transaction that also records the progress, so that another process
 * continues after a crash. Changes of one connection are applied in the order in which they were requested.
 */
@Injectable()
export class BacklogChanges implements OnApplicationBootstrap, OnModuleDestroy {
  private lastServed = ''
  private readonly work = new PiecewiseWork({
    doNext: () => this.changePiece(),
    areLeft: (replayId) => this.store.isLeft(this.database, replayId),
    pause: PAUSE,
    failed: (err) => this.log.warn({ err }, 'the change of a backlog was interrupted, trying again'),
  })

  constructor(
    private readonly database: Database,
    private readonly store: BacklogChangeStore,
    private readonly waiting: WaitingDeliveriesStore,
    private readonly replays: ReplayStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.database.onCommit(BACKLOG_CHANGED, () => this.work.wake())
    this.work.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.work.stop()
  }

  /** Resolves once all events of a committed replay are enqueued, after 3 s at most; a long one continues alone. */
  settle(replayId: string): Promise<void> {
    return this.work.settle(replayId)
  }

  /** @returns false if no change can be applied now */
  private changePiece(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const change = await this.store.take(tx, this.lastServed)
      if (!change) return false
      this.lastServed = change.connectionId
      await this.store.put(tx, change, (await this.apply(tx, change)) < PIECE)
      tx.afterCommit(DELIVERIES_DUE)
      return true
    })
  }

  /** @returns number of changed rows; less than a piece when the change is done */
  private async apply(
    tx: Transaction,
    { connectionId, kind, lastSequence, sequences }: BacklogChange,
  ): Promise<number> {
    if (kind === 'end') return this.waiting.endSome(tx, connectionId, lastSequence)
    if (kind === 'release') return this.waiting.releaseSome(tx, connectionId)
    await this.replays.replay(tx, connectionId, sequences!)
    return 0
  }
}
