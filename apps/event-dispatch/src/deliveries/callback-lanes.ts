import type { Lease } from '../leases/lease.store.js'
import { Breaker } from './breaker.js'
import { Concurrency } from './concurrency.js'
import { HealthNotes } from './health-notes.js'
import type { DueDelivery, DueLane } from './lane.store.js'

/** A lane in hand with its next delivery. */
export type ReadyLane = DueLane & { delivery: DueDelivery }

/** How an attempt ended, as far as it says something about the callback. */
export interface AttemptEnd {
  ok: boolean
  timedOut: boolean
  /** The callback answered that it is gone for good. */
  isGone: boolean
}

/** Lanes in hand for each that may be under way: enough to go on while the next are read. */
const STOCK = 4

/**
 * The lanes of one callback that this process has in hand: which delivery may go next. A lane is in hand from the moment
 * it was read until its result is written, so that a reservation never has two deliveries under way and none overtakes
 * one whose end nobody else would know of after a crash. Time, in ms, comes from the caller.
 */
export class CallbackLanes {
  readonly health = new HealthNotes()
  readonly stopped = new AbortController()
  private readonly concurrency = new Concurrency()
  private readonly ready: ReadyLane[] = []
  private readonly inHand = new Set<string>()
  isLost = false
  private isClosed = false
  private underWay = 0
  /** More lanes may be due than have been read. */
  private mayHaveMore = true
  /** When there was last something to do. */
  private lastBusyAt: number

  constructor(
    readonly lease: Lease,
    readonly breaker: Breaker,
    now: number,
    /** When the lease ends unless it is extended; nothing is sent afterwards. */
    public leasedUntil: number,
  ) {
    this.lastBusyAt = now
  }

  extend(leasedUntil: number): void {
    this.leasedUntil = leasedUntil
  }

  /** Reservations whose lane is in hand. */
  get busy(): Iterable<string> {
    return this.inHand
  }

  /** @param share how many attempts this process can have under way for each of its callbacks */
  wanted(now: number, share: number): number {
    const limit = this.limit(now, share)
    if (this.ready.length >= limit) return 0
    return Math.max(limit * STOCK - this.ready.length - this.underWay, 0)
  }

  /** Whether reading lanes again is worth it before something new arrives. */
  wantsMore(now: number, share: number): boolean {
    return this.mayHaveMore && this.wanted(now, share) > 0
  }

  /**
   * Takes lanes that were read in hand.
   * @param empty those without a delivery, in hand until they are removed
   * @param wanted how many were asked for
   */
  add(lanes: readonly ReadyLane[], empty: readonly DueLane[], wanted: number, now: number): void {
    this.mayHaveMore = wanted > 0 && lanes.length + empty.length >= wanted
    for (const { reservationId } of [...lanes, ...empty]) this.inHand.add(reservationId)
    this.ready.push(...lanes)
    if (this.isBusy) this.lastBusyAt = now
  }

  /** The delivery to send now, which is then under way; null when there is none or enough are. */
  next(now: number, share: number): ReadyLane | null {
    if (now >= this.leasedUntil || this.underWay >= this.limit(now, share)) return null
    const lane = this.ready.shift()
    if (!lane) return null
    this.underWay += 1
    return lane
  }

  /** @param end null when the attempt was broken off and says nothing */
  ended(end: AttemptEnd | null, now: number): void {
    this.underWay -= 1
    this.lastBusyAt = now
    if (!end) return
    this.breaker.record(end, now)
    this.concurrency.record(end.ok, this.underWay)
    this.health.note(end)
    if (end.isGone) this.drop()
  }

  /** The lane's result is written: what comes next in it can be read. */
  release(reservationId: string): void {
    this.inHand.delete(reservationId)
    this.mayHaveMore = true
  }

  /** Lets go of what has not been sent. */
  drop(): void {
    for (const { reservationId } of this.ready.splice(0)) this.inHand.delete(reservationId)
  }

  /** Sends nothing more. */
  close(): void {
    this.isClosed = true
    this.drop()
  }

  /** As `close`, and breaks off what is under way. */
  stop(): void {
    this.close()
    this.stopped.abort()
  }

  /** The lease is somebody else's now: as `stop`, and results are of no use any more. */
  lose(): void {
    this.isLost = true
    this.stop()
  }

  /** For how long nothing has been in hand, ms. */
  idleFor(now: number): number {
    return this.inHand.size > 0 ? 0 : now - this.lastBusyAt
  }

  get isBusy(): boolean {
    return this.inHand.size > 0
  }

  private limit(now: number, share: number): number {
    return this.isClosed ? 0 : Math.min(this.concurrency.current, this.breaker.allowance(now), share)
  }
}
