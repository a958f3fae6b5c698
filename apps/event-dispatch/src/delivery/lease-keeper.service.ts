import { setTimeout as delay } from 'node:timers/promises'
import { Inject, Injectable } from '@nestjs/common'
import { InstanceName } from '@connectivity/kafka/broker'
import { BackgroundLoop } from '@connectivity/service-kit/work'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { CallbackLanes } from './callback-lanes.js'
import { leaseChanges, leasesHeld } from './delivery-metrics.js'
import { LEASE_TIME, LeaseStore } from './lease.store.js'

const RENEW_EVERY = 3_000
const CHECK_EXPIRY_EVERY = 500
/** Pause before a locked callback is tried again, ms: delivery results and renewals lock callbacks briefly. */
const LOCKED_PAUSE = 25
/** Most attempts at handing back a lease; lanes are not read meanwhile. */
const HAND_BACK_ATTEMPTS = 4

/** Takes and renews this process's leases, each with its lanes in hand; gives up those that it cannot renew in time. */
@Injectable()
export class LeaseKeeper {
  private readonly lanesOf = new Map<string, CallbackLanes>()
  private readonly renewal = BackgroundLoop.every(
    RENEW_EVERY,
    () => this.renew(),
    (err) => this.log.warn({ err }, 'leases could not be renewed, trying again'),
  )
  /** A loop of its own, because an unresponsive database can block the renewal. */
  private readonly expiry = BackgroundLoop.every(CHECK_EXPIRY_EVERY, async () => this.endExpired())

  constructor(
    private readonly store: LeaseStore,
    private readonly name: InstanceName,
    @Inject(LOGGER) private readonly log: Logger,
  ) {
    leasesHeld.reset()
  }

  get held(): Iterable<CallbackLanes> {
    return this.lanesOf.values()
  }

  get count(): number {
    return this.lanesOf.size
  }

  /** Takes over the leases of a crashed process with this instance name, and starts renewing. */
  async start(): Promise<void> {
    this.renewal.start(RENEW_EVERY)
    this.expiry.start(CHECK_EXPIRY_EVERY)
    if (!(await this.name.hold())) return
    const count = await this.store.takeBack(this.name.instance)
    leaseChanges.inc({ change: 'taken_back' }, count)
  }

  /**
   * Takes leases on callbacks with due lanes that no process holds.
   * @returns whether any lease was taken
   */
  async acquire(): Promise<boolean> {
    const askedAt = performance.now()
    const leases = await this.store.acquire(this.name.instance)
    for (const lease of leases) {
      this.lanesOf.get(lease.connectionId)?.lose()
      this.lanesOf.set(lease.connectionId, new CallbackLanes(lease, askedAt, askedAt + LEASE_TIME))
      leaseChanges.inc({ change: 'taken' })
    }
    leasesHeld.set(this.count)
    return leases.length > 0
  }

  /** Gives up a lease that another process holds now, or that has expired. */
  lose(lanes: CallbackLanes): void {
    lanes.lose()
    if (!this.holds(lanes)) return
    this.lanesOf.delete(lanes.lease.connectionId)
    leasesHeld.set(this.count)
    leaseChanges.inc({ change: 'lost' })
    this.log.info({ connection_id: lanes.lease.connectionId }, 'the lease on a callback is lost')
  }

  /**
   * Hands back leases without lanes in hand, so that any process can take them when a lane is due. A lease whose
   * callback stays locked expires.
   */
  async handBack(idle: readonly CallbackLanes[]): Promise<void> {
    if (idle.length === 0) return
    for (const { lease } of idle) this.lanesOf.delete(lease.connectionId)
    leasesHeld.set(this.count)
    leaseChanges.inc({ change: 'handed_back' }, idle.length)
    let left = idle.map(({ lease }) => lease)
    for (let attempt = 1; left.length > 0 && attempt <= HAND_BACK_ATTEMPTS; attempt++) {
      if (attempt > 1) await delay(LOCKED_PAUSE)
      const handedBack = await this.store.handBack(left)
      left = left.filter(({ connectionId }) => !handedBack.has(connectionId))
    }
  }

  /** Hands back all leases. */
  async stop(): Promise<void> {
    await Promise.all([this.expiry.stop(), this.renewal.stop()])
    await this.handBack([...this.held])
  }

  private holds(lanes: CallbackLanes): boolean {
    return this.lanesOf.get(lanes.lease.connectionId) === lanes
  }

  private endExpired(): void {
    for (const lanes of [...this.held]) if (performance.now() >= lanes.leasedUntil) this.lose(lanes)
  }

  /** Renews leases; a locked one is soon tried again. */
  private async renew(): Promise<void> {
    const end = performance.now() + RENEW_EVERY
    const isOver = () => this.renewal.isStopping || performance.now() >= end
    for (let left = [...this.held]; left.length > 0 && !isOver(); await delay(LOCKED_PAUSE)) {
      const until = performance.now() + LEASE_TIME
      const { renewed, lost } = await this.store.renew(left.map(({ lease }) => lease))
      for (const lanes of left) {
        if (renewed.has(lanes.lease.connectionId)) lanes.leasedUntil = until
        else if (lost.has(lanes.lease.connectionId)) this.lose(lanes)
      }
      left = left.filter((lanes) => this.holds(lanes) && !renewed.has(lanes.lease.connectionId))
    }
  }
}
