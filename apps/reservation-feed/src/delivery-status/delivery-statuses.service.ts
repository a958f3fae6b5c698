import { Inject, Injectable } from '@nestjs/common'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { localDate } from '@connectivity/contracts/local-date'
import { Database } from '@connectivity/database'
import { LongReads } from '@connectivity/service-kit/work'
import { completeHead, servable } from '../pages/feed-refusals.js'
import { DeliveryStatusStore, type StoredStatus } from './delivery-status.store.js'
import { shownStatus } from './delivery-status.view.js'
import { PollProgress } from '../progress/poll-progress.service.js'
import { boundsAt, RISK_RULES, type RiskRules } from './risk-rules.js'

/** Most reservations at risk that a status names. */
const MOST_NAMED = 100

/** Checks the stored status; throws when it cannot be shown. */
type CheckStored = (found: StoredStatus | null) => StoredStatus | null

/** Computes the delivery status. */
@Injectable()
export class DeliveryStatuses {
  private readonly turns = new LongReads({ message: 'Other delivery statuses are being read; ask again in a moment.' })

  constructor(
    private readonly database: Database,
    private readonly store: DeliveryStatusStore,
    private readonly polls: PollProgress,
    @Inject(RISK_RULES) private readonly rules: RiskRules,
  ) {}

  /**
   * The status for the partner.
   * @throws ServiceError 503 while the feed is unknown or being filled, or when no turn comes within 3 s, 403 for a
   *   closed one
   */
  async of(connectionId: string): Promise<DeliveryStatus> {
    return (await this.read(connectionId, servable))!
  }

  /**
   * The status for operators, also of a closed connection.
   * @returns null for a connection that the feed does not know
   * @throws ServiceError 503 while the feed is being filled or when no turn comes within 3 s
   */
  ofKnown(connectionId: string): Promise<DeliveryStatus | null> {
    return this.read(connectionId, completeHead)
  }

  private read(connectionId: string, check: CheckStored): Promise<DeliveryStatus | null> {
    return this.turns.take(connectionId, async () => {
      await this.polls.settle(connectionId)
      return this.snapshot(connectionId, check)
    })
  }

  private snapshot(connectionId: string, check: CheckStored): Promise<DeliveryStatus | null> {
    return this.database.transaction(async (tx) => {
      tx.readSnapshot()
      const stored = check(await this.store.find(tx, connectionId))
      if (!stored) return null
      const { progress, propertyId, timezone, clock } = stored
      const after = progress?.processedTo ?? -1
      const bounds = boundsAt(this.rules, clock, localDate(timezone, clock))
      const [waiting, risks] = await Promise.all([
        this.store.waiting(tx, connectionId, after),
        progress ? this.store.risks(tx, { connectionId, propertyId, after }, bounds, MOST_NAMED) : null,
      ])
      return shownStatus(connectionId, { stored, waiting, risky: risks?.first ?? [] })
    })
  }
}
