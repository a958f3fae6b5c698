import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { LeaseKeeper } from './lease-keeper.service.js'
import { Attempts } from './attempts.service.js'
import type { CallbackLanes, ReadyLane } from './callback-lanes.js'
import { DeliveryTargetStore } from './delivery-target.store.js'
import { breakersOpen, callbackSuspensions } from './delivery-metrics.js'
import { DeliveryResults, type Written } from './delivery-results.service.js'
import { DeliverySignals } from './delivery-signals.service.js'
import { type ClaimedCallback, LaneStore } from './lane.store.js'
import { DispatchLoop } from './dispatch-loop.js'

/** Attempts that this process may have in flight; each callback gets an equal share, at least one. */
const ATTEMPTS_AT_ONCE = 1_024
/** A lease without work for this long is handed back, ms. */
const IDLE_LIMIT = 10_000
/** Longest wait of a stopping process for the attempts in flight, ms; it has 10 s in all. */
const STOP_PATIENCE = 5_000
const STOP_POLL = 20

/**
 * Delivers events: leases callbacks with due lanes, polls their lanes, sends as many deliveries at once as each
 * callback can take, and records the results. No transaction is open while waiting for a partner, and callbacks share
 * no resource that one of them could exhaust.
 */
@Injectable()
export class Dispatcher implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly loop = new DispatchLoop(
    () => this.leases.acquire(),
    () => this.poll(),
    (err) => this.log.warn({ err }, 'deliveries could not be read, trying again'),
  )
  private isStopping = false

  constructor(
    private readonly leases: LeaseKeeper,
    private readonly lanes: LaneStore,
    private readonly targets: DeliveryTargetStore,
    private readonly attempts: Attempts,
    private readonly results: DeliveryResults,
    private readonly signals: DeliverySignals,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.results.onWritten((written) => this.recorded(written))
    this.signals.onSignal(() => this.loop.leaseNow())
    this.leases
      .start()
      .catch((err: unknown) => this.log.warn({ err }, 'leases of a crashed process were not taken back; they expire'))
      .finally(() => this.loop.start())
  }

  /** Lets attempts in flight end within the limit; aborts the rest, which are delivered again later. */
  async onModuleDestroy(): Promise<void> {
    this.isStopping = true
    await this.loop.stop()
    const held = [...this.leases.held]
    for (const lanes of held) lanes.close()
    const deadline = performance.now() + STOP_PATIENCE
    while (held.some(({ isBusy }) => isBusy) && performance.now() < deadline) await delay(STOP_POLL)
    for (const lanes of held) lanes.stop()
    await delay(0)
    await this.results.settled()
    await this.leases.stop()
  }

  /** Sends what is due at held callbacks; hands back leases without work. */
  private async poll(): Promise<void> {
    await this.readLanes()
    const now = performance.now()
    const held = [...this.leases.held]
    breakersOpen.set(held.filter((lanes) => lanes.isBroken(now)).length)
    // After the reading: what it has found due keeps its lease, and a signal that comes later leads to a new lease.
    await this.leases.handBack(held.filter((lanes) => lanes.idleFor(now) > IDLE_LIMIT))
  }

  private async readLanes(): Promise<void> {
    const now = performance.now()
    const claims = [...this.leases.held].map((lanes) => ({ lanes, wanted: lanes.ask(now, this.share) }))
    if (claims.length === 0) return
    const claimed = await this.lanes.claim(
      claims.map(({ lanes, wanted }) => ({ lease: lanes.lease, wanted, busy: lanes.busy })),
    )
    await this.followChanges(
      claims.map(({ lanes }) => lanes),
      claimed,
    )
    for (const { lanes, wanted } of claims) this.take(lanes, claimed.get(lanes.lease.connectionId), wanted)
  }

  private async followChanges(
    all: readonly CallbackLanes[],
    claimed: ReadonlyMap<string, ClaimedCallback>,
  ): Promise<void> {
    const changed = all.filter(
      ({ lease, target, isClosed }) => !isClosed && claimed.get(lease.connectionId)?.revision !== target?.revision,
    )
    const targets = await this.targets.read(changed.map(({ lease }) => lease.connectionId))
    for (const lanes of changed) {
      const target = targets.get(lanes.lease.connectionId)
      if (target) lanes.follow(target, performance.now())
      // Its secrets cannot be opened, or it was just deleted; a process tries again once the lease is handed back.
      else lanes.close()
    }
  }

  private take(lanes: CallbackLanes, claimed: ClaimedCallback | undefined, wanted: number): void {
    if (!claimed) return this.leases.lose(lanes)
    if (!claimed.isOpen || lanes.isClosed) return lanes.drop()
    const ready = claimed.lanes.filter((lane): lane is ReadyLane => lane.delivery !== null)
    const empty = claimed.lanes.filter(({ delivery }) => delivery === null)
    lanes.add(ready, empty, wanted, performance.now())
    for (const { reservationId, arrivals } of empty) {
      this.results.add(lanes, { reservationId, arrivals, hasMore: false, attempt: null })
    }
    this.sendNext(lanes)
  }

  private sendNext(lanes: CallbackLanes): void {
    for (let lane; (lane = lanes.next(performance.now(), this.share)) !== null;) void this.send(lanes, lane)
  }

  /** Never rejects. */
  private async send(lanes: CallbackLanes, lane: ReadyLane): Promise<void> {
    const { target } = lanes
    const attempt = await this.attempts.make(lanes, lane)
    lanes.ended(attempt?.verdict ?? null, target, performance.now())
    if (attempt) {
      const { reservationId, arrivals, delivery } = lane
      this.results.add(lanes, { reservationId, arrivals, hasMore: delivery.hasMore, attempt })
      if (attempt.verdict.kind !== 'delivered') this.leaseWhenBreakerEnds(lanes)
    } else lanes.release(lane.reservationId, true)
    this.sendNext(lanes)
  }

  private recorded({ lanes, results, suspended }: Written): void {
    for (const { reservationId, hasMore, attempt } of results) {
      lanes.release(reservationId, hasMore)
      const gap = attempt?.verdict.gap ?? null
      if (gap !== null) this.loop.leaseIn(gap)
    }
    if (suspended) {
      lanes.drop()
      callbackSuspensions.inc()
      this.log.warn({ connection_id: lanes.lease.connectionId }, 'a callback is suspended')
    }
    if (lanes.wantsMore(performance.now(), this.share)) this.loop.wake()
  }

  private leaseWhenBreakerEnds({ breaker }: CallbackLanes): void {
    if (breaker?.openUntil) this.loop.leaseIn(breaker.openUntil - performance.now())
  }

  /** Attempts that each callback may have in flight. */
  private get share(): number {
    return this.isStopping ? 0 : Math.max(Math.floor(ATTEMPTS_AT_ONCE / Math.max(this.leases.count, 1)), 1)
  }
}
