import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database/database'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { BackgroundLoop } from '@connectivity/service-kit/background-loop'
import { v7 as uuidv7 } from 'uuid'
import { filling } from '../reservations/feed-refusals.js'
import { FeedWriter } from '../reservations/feed-writer.service.js'
import type { Selection } from './redelivery-selection.js'
import { type RedeliveryTarget, RedeliveryStore } from './redelivery.store.js'

/** What an operator is told. */
export interface RedeliveryAnswer {
  redelivery_id: string
  /** Rows that are stamped anew: all of them, whatever happens meanwhile, unless the connection is closed. */
  reservations: number
}

/** How often other replicas' orders and those of a crashed one are looked for, ms. */
const POLL = 1_000
/** Pause while every connection with orders has run ahead of the clock, ms. */
const PAUSE = 100
/** How long an answer waits for small orders to be visible, ms. */
const PATIENCE = 3_000

/**
 * Delivers reservations anew at an operator's request. What is to be stamped is fixed in the operator's transaction and
 * stamped afterwards in chunks, so that tens of thousands of rows neither hold live changes back nor keep the operator
 * waiting: at the pace at which stamps keep to the clock they take a millisecond each.
 */
@Injectable()
export class Redelivery implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(
    () => this.round(),
    (err) => {
      this.log.warn({ err }, 're-delivery interrupted, trying again')
      return POLL
    },
  )

  constructor(
    private readonly database: Database,
    private readonly store: RedeliveryStore,
    private readonly writer: FeedWriter,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /** @throws ServiceError 404 for an unknown connection, 409 for a closed one, 503 while the feed is filled */
  async accept(tx: Transaction, connectionId: string, selection: Selection): Promise<RedeliveryAnswer> {
    const target = checkTarget(connectionId.includes('\0') ? null : await this.store.target(tx, connectionId))
    const redelivery_id = `rdl_${uuidv7().replaceAll('-', '')}`
    return { redelivery_id, reservations: await this.store.plan(tx, redelivery_id, target, selection) }
  }

  /** Resolves once what was accepted and committed is stamped, or after 3 s: a long one goes on by itself. */
  async settle(redeliveryId: string): Promise<void> {
    const end = performance.now() + PATIENCE
    while (performance.now() < end && (await this.store.waits(this.database, redeliveryId))) {
      this.loop.wake()
      await delay(PAUSE / 5)
    }
  }

  private async round(): Promise<number> {
    if (await this.stampChunk()) return 0
    return (await this.store.waits(this.database, null)) ? PAUSE : POLL
  }

  /** @returns false when there was nothing that may be stamped now */
  private stampChunk(): Promise<boolean> {
    return this.database.transaction(async (tx) => {
      const chunk = await this.store.take(tx)
      if (chunk) await this.writer.stampAgain(tx, chunk, chunk.reservationIds)
      return chunk !== null
    })
  }
}

function checkTarget(target: RedeliveryTarget | null): RedeliveryTarget {
  if (!target) throw new ServiceError('not_found', 'There is no connection with this id.')
  if (target.state === 'closed')
    throw new ServiceError('invalid_transition', 'A closed connection has no feed to deliver anew.')
  if (target.state === 'filling') throw filling()
  return target
}
