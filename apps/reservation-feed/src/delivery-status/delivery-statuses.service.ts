import { Inject, Injectable } from '@nestjs/common'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { localDate } from '@connectivity/contracts/local-date'
import { Database } from '@connectivity/database'
import { LongReads } from '@connectivity/service-kit/work'
import { servable } from '../reservations/feed-refusals.js'
import { DeliveryStatusStore, type StoredStatus } from './delivery-status.store.js'
import { shownStatus } from './delivery-status.view.js'
import { PollProgress } from '../progress/poll-progress.service.js'
import { boundsAt, RISK_RULES, type RiskRules } from './risk-rules.js'

/** Most reservations at risk that a status names. */
const MOST_NAMED = 100

/** A connection whose creation has not reached the feed yet. */
const notYetKnown: StoredStatus = {
  state: 'waiting',
  propertyId: '',
  timezone: '',
  lastStamp: 0,
  progress: null,
  proof: null,
  clock: 0,
}

/** Computes the delivery status from the stored state and the polls that this process has answered since. */
@Injectable()
export class DeliveryStatuses {
  private readonly turns = new LongReads({ message: 'Other delivery statuses are being read; ask again in a moment.' })

  constructor(
    private readonly database: Database,
    private readonly store: DeliveryStatusStore,
    private readonly polls: PollProgress,
    @Inject(RISK_RULES) private readonly rules: RiskRules,
  ) {}

  /** @throws ServiceError 503 while the feed is filled or when no turn comes within 3 s, 403 when it is closed */
  async of(connectionId: string): Promise<DeliveryStatus> {
    return (await this.read(connectionId, notYetKnown))!
  }

  /**
   * @returns null for a connection that the feed does not know
   * @throws ServiceError as `of`
   */
  ofKnown(connectionId: string): Promise<DeliveryStatus | null> {
    return this.read(connectionId, null)
  }

  private read(connectionId: string, unknown: StoredStatus | null): Promise<DeliveryStatus | null> {
    return this.turns.take(connectionId, () => this.snapshot(connectionId, unknown))
  }

  private snapshot(connectionId: string, unknown: StoredStatus | null): Promise<DeliveryStatus | null> {
    return this.database.transaction(async (tx) => {
      tx.readSnapshot()
      const stored = servable(await this.store.find(tx, connectionId)) ?? unknown
      if (!stored) return null
      const progress = this.polls.current(connectionId, stored.progress)
      const after = progress?.processedTo ?? -1
      const { propertyId, timezone, clock } = stored
      const bounds = boundsAt(this.rules, clock, localDate(timezone, clock))
      const [waiting, risks] = await Promise.all([
        this.store.waiting(tx, connectionId, after),
        progress ? this.store.risks(tx, { connectionId, propertyId, after }, bounds, MOST_NAMED) : null,
      ])
      return shownStatus(connectionId, { stored, progress, waiting, risky: risks?.first ?? [] })
    })
  }
}
