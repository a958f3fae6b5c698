import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { Gauge } from 'prom-client'
import { environments } from '@connectivity/contracts/connection-events'
import { RiskRoundStore } from '../delivery-status/risk-round.store.js'
import { FeedFactsStore } from './feed-facts.store.js'

/** Number of connections named in the metrics, to keep their labels few. */
const NAMED = 10
const INTERVAL = 10_000

const headAge = new Gauge({
  name: 'connectivity_feed_head_age_seconds',
  help: `Time since the last change of a live feed, of the ${NAMED} that have been quiet for longest.`,
  labelNames: ['connection'] as const,
})

const feeds = new Gauge({
  name: 'connectivity_feed_connections',
  help: 'Connections by the state of their feed.',
  labelNames: ['state'] as const,
})

const risky = new Gauge({
  name: 'connectivity_feed_reservations_at_risk',
  help: 'Reservations that their partners have not fetched and need soon, by environment of the connection.',
  labelNames: ['environment'] as const,
})

const riskyConnections = new Gauge({
  name: 'connectivity_feed_connections_at_risk',
  help: 'Connections with reservations at risk, by environment.',
  labelNames: ['environment'] as const,
})

/**
 * Reads the gauges from the database in the background, so that scrapes do not wait. Every replica exports the same
 * figures, and omits those that it could not read.
 */
@Injectable()
export class FeedGauges implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = BackgroundLoop.every(
    INTERVAL,
    () => this.read(),
    (err) => this.omit(err),
  )

  constructor(
    private readonly facts: FeedFactsStore,
    private readonly risks: RiskRoundStore,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.loop.start()
  }

  onModuleDestroy(): Promise<void> {
    return this.loop.stop()
  }

  private async read(): Promise<void> {
    const [oldest, states, risks] = await Promise.all([
      this.facts.oldestHeads(NAMED),
      this.facts.states(),
      this.risks.count(),
    ])
    forget()
    for (const { connectionId, age } of oldest) headAge.set({ connection: connectionId }, age / 1000)
    for (const [state, count] of states) feeds.set({ state }, count)
    for (const environment of environments) {
      const at = risks.find((count) => count.environment === environment)
      risky.set({ environment }, at?.reservations ?? 0)
      riskyConnections.set({ environment }, at?.connections ?? 0)
    }
  }

  private omit(err: unknown): void {
    forget()
    this.log.warn({ err }, 'gauges of the feeds could not be read, trying again later')
  }
}

function forget(): void {
  headAge.reset()
  feeds.reset()
  risky.reset()
  riskyConnections.reset()
}
