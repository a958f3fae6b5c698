import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { strandedDeliveries } from './delivery-metrics.js'
import { type Place, StrandedDeliveriesStore } from './stranded-deliveries.store.js'

const INTERVAL = 60_000
/** Time for one check, ms: with millions of waiting deliveries the next check goes on where this one ends. */
const LONGEST = 1_000
const BEGINNING: Place = { connectionId: '', reservationId: '' }

/** Checks once a minute for deliveries without a lane, reports and repairs them. */
@Injectable()
export class StrandedDeliveries implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = BackgroundLoop.every(
    INTERVAL,
    () => this.rescue(),
    (err) => this.log.warn({ err }, 'check for stranded deliveries failed'),
  )

  private seenTo = BEGINNING

  constructor(
    private readonly store: StrandedDeliveriesStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    strandedDeliveries.set(0)
    this.loop.start(INTERVAL)
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  /** @returns number of stranded deliveries */
  async rescue(): Promise<number> {
    const until = performance.now() + LONGEST
    let count = 0
    do {
      const { stranded, last } = await this.store.rescue(this.seenTo)
      count += stranded
      this.seenTo = last ?? BEGINNING
    } while (this.seenTo !== BEGINNING && performance.now() < until)
    strandedDeliveries.set(count)
    if (count > 0) this.log.error({ deliveries: count }, 'recreated missing lanes')
    return count
  }
}
