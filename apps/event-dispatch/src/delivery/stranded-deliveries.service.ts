import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { strandedDeliveries } from './delivery-metrics.js'
import { StrandedDeliveriesStore } from './stranded-deliveries.store.js'

const INTERVAL = 60_000

/** Checks once a minute for deliveries without a lane, reports and repairs them. */
@Injectable()
export class StrandedDeliveries implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = BackgroundLoop.every(
    INTERVAL,
    () => this.rescue(),
    (err) => this.log.warn({ err }, 'check for stranded deliveries failed'),
  )

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

  private async rescue(): Promise<void> {
    const count = await this.store.rescue()
    strandedDeliveries.set(count)
    if (count > 0) this.log.error({ deliveries: count }, 'recreated missing lanes')
  }
}
