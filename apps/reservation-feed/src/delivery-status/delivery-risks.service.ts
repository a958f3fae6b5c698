import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import type { DeliveryRisk } from '@connectivity/contracts/delivery-risks'
import { localDate } from '@connectivity/contracts/local-date'
import { formatTimestamp } from '@connectivity/contracts/time'
import { Database } from '@connectivity/database'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { DeliveryRisksPublisher } from './delivery-risks.publisher.js'
import { DeliveryStatusStore, MOST_WAITING, type RiskyRows, type WaitingRows } from './delivery-status.store.js'
import { type RiskCandidate, RiskRoundStore } from './risk-round.store.js'
import { boundsAt, RISK_RULES, type RiskRules } from './risk-rules.js'

/** Interval between two rounds of all processes together, s. */
const ROUND_SECONDS = 5
/** Interval at which a process tries to begin the next round, ms. */
const OFFER = 2_500

const noRisk: RiskyRows = { count: 0, earliestCheckIn: null, first: [] }

/**
 * Finds reservations that partners have not fetched and will need soon. Stores their number for the overview and the
 * metrics, and publishes when a connection becomes at risk and when it has recovered.
 */
@Injectable()
export class DeliveryRisks implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new BackgroundLoop(
    () => this.offer(),
    (err) => {
      this.log.warn({ err }, 'check for reservations at risk failed, trying again')
      return OFFER
    },
  )

  constructor(
    private readonly database: Database,
    private readonly rounds: RiskRoundStore,
    private readonly statuses: DeliveryStatusStore,
    private readonly publisher: DeliveryRisksPublisher,
    @Inject(RISK_RULES) private readonly rules: RiskRules,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /** Checks every connection whose risk may have changed. */
  async round(): Promise<void> {
    const { waitSeconds, longWaitSeconds } = this.rules
    for (const candidate of await this.rounds.candidates(Math.min(waitSeconds, longWaitSeconds))) {
      if (this.loop.isStopping) return
      await this.look(candidate)
    }
  }

  private async offer(): Promise<number> {
    if (await this.rounds.begin(ROUND_SECONDS)) await this.round()
    return OFFER
  }

  private async look(candidate: RiskCandidate): Promise<void> {
    const risky = candidate.isOpen ? await this.risksOf(candidate) : noRisk
    if (risky.count === candidate.atRisk) return
    const waiting = await this.statuses.waiting(this.database, candidate.connectionId, candidate.processedTo)
    await this.database.transaction(async (tx) => {
      const isOurs = await this.rounds.change(tx, candidate, risky.count)
      const isNews = risky.count > 0 !== candidate.atRisk > 0
      if (isOurs && isNews) this.publisher.publish(tx, riskOf(candidate, risky, waiting))
    })
  }

  private risksOf({ timezone, clock, processedTo, ...of }: RiskCandidate): Promise<RiskyRows> {
    const bounds = boundsAt(this.rules, clock, localDate(timezone, clock))
    return this.statuses.risks(this.database, { ...of, after: processedTo }, bounds, 1)
  }
}

const riskOf = (
  { propertyId, connectionId }: RiskCandidate,
  { count, earliestCheckIn }: RiskyRows,
  waiting: WaitingRows,
): DeliveryRisk => ({
  property_id: propertyId,
  connection_id: connectionId,
  waiting: Math.min(waiting.count, MOST_WAITING),
  at_risk: count,
  oldest_waiting_at: count > 0 && waiting.oldest !== null ? formatTimestamp(waiting.oldest) : null,
  earliest_check_in: earliestCheckIn,
})
