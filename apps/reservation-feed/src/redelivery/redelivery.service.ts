import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { notFound } from '@connectivity/service-kit/operators'
import { PiecewiseWork } from '@connectivity/service-kit/work'
import { newId } from '@connectivity/service-kit/text'
import { filling } from '../pages/feed-refusals.js'
import { FeedWriter } from '../projection/feed-writer.service.js'
import type { Selection } from './redelivery-selection.js'
import { REDELIVERY_PLANNED, type RedeliveryTarget, RedeliveryStore } from './redelivery.store.js'

/** Answer to the operator. */
export interface RedeliveryAnswer {
  redelivery_id: string
  /** Number of rows that get a new stamp, unless the connection is closed in the meantime. */
  reservations: number
}

/** Pause while every connection with chunks left is too far ahead of the clock, ms. */
const PAUSE = 100

/**
 * Delivers reservations again at an operator's request. The operator's transaction selects the rows, which are stamped
 * afterwards in chunks. So tens of thousands of rows delay neither live changes nor the operator: stamps must not run
 * ahead of the clock, so each row takes a millisecond.
 */
@Injectable()
export class Redelivery implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly work = new PiecewiseWork({
    doNext: () => this.stampChunk(),
    areLeft: (redeliveryId) => this.store.waits(this.database, redeliveryId),
    pause: PAUSE,
    failed: (err) => this.log.warn({ err }, 'redelivery interrupted, trying again'),
  })

  constructor(
    private readonly database: Database,
    private readonly store: RedeliveryStore,
    private readonly writer: FeedWriter,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.database.onCommit(REDELIVERY_PLANNED, () => this.work.wake())
    this.work.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.work.stop()
  }

  /** @throws ServiceError 404 for an unknown connection, 409 for a closed one, 503 while the feed is being filled */
  async accept(tx: Transaction, connectionId: string, selection: Selection): Promise<RedeliveryAnswer> {
    const target = checkTarget(connectionId.includes('\0') ? null : await this.store.target(tx, connectionId))
    const redelivery_id = newId('rdl')
    return { redelivery_id, reservations: await this.store.plan(tx, redelivery_id, target, selection) }
  }

  /** Resolves once the redelivery is stamped, after 3 s at most; a long one continues in the background. */
  settle(redeliveryId: string): Promise<void> {
    return this.work.settle(redeliveryId)
  }

  /** @returns false if no chunk may be stamped now */
  private stampChunk(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const chunk = await this.store.take(tx)
      if (chunk) await this.writer.stampAgain(tx, chunk, chunk.reservationIds)
      return chunk !== null
    })
  }
}

function checkTarget(target: RedeliveryTarget | null): RedeliveryTarget {
  if (!target) throw notFound('connection')
  if (target.state === 'closed')
    throw new ServiceError('invalid_transition', 'A closed connection has no feed to deliver again.')
  if (target.state === 'filling') throw filling()
  return target
}
