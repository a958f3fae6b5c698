import type { Lease } from './lease.store.js'
import { Breaker, type BreakerMemory } from './breaker.js'
import type { DeliveryTarget } from './delivery-target.store.js'
import { Concurrency, LEAST_CONCURRENCY } from './concurrency.js'
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
  private known: { target: DeliveryTarget; breaker: Breaker; concurrency: Concurrency } | null = null
  private readonly ready: ReadyLane[] = []
  private readonly inHand = new Set<string>()
  isLost = false
  isClosed = false
  private underWay = 0
  /** More lanes may be due than have been read. */
  private mayHaveMore = true
  /** A lane that was in hand is passed over by the latest reading of lanes, whatever has come into it. */
  private mayHavePassed = false
  /** When there was last something to do. */
  private lastBusyAt: number

  constructor(
    readonly lease: Lease,
    now: number,
    /** When the lease ends unless it is extended; nothing is sent afterwards. */
    public leasedUntil: number,
  ) {
    this.lastBusyAt = now
  }

  /** Reservations whose lane is in hand. */
  get busy(): Iterable<string> {
    return this.inHand
  }

  /** Where events go; null until it was read. */
  get target(): DeliveryTarget | null {
    return this.known && this.known.target
  }

  get breaker(): Readonly<BreakerMemory> | null {
    return this.known && this.known.breaker.remembered
  }

  /** Nothing is let through at the moment, because too much has failed. */
  isBroken(now: number): boolean {
    return this.known?.breaker.allowance(now) === 0
  }

  /** The callback is another one now: attempts that went where it was say nothing about it any more. */
  follow(target: DeliveryTarget, now: number): void {
    const { failuresInRow, breakerOpened, breakerOpenFor } = target
    const openUntil = breakerOpenFor === null ? null : now + breakerOpenFor
    const breaker = new Breaker({ failuresInRow, opened: breakerOpened, openUntil })
    this.known = { target, breaker, concurrency: new Concurrency() }
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

  /** Lanes are being read from now on: what is released before they are here was passed over all the same. */
  ask(now: number, share: number): number {
    const wanted = this.wanted(now, share)
    if (wanted > 0) this.mayHaveMore = false
    this.mayHavePassed = this.isBusy
    return wanted
  }

  /**
   * Takes lanes that were read in hand.
   * @param empty those without a delivery, in hand until they are removed
   * @param wanted how many were asked for
   */
  add(lanes: readonly ReadyLane[], empty: readonly DueLane[], wanted: number, now: number): void {
    this.mayHaveMore ||= wanted > 0 && lanes.length + empty.length >= wanted
    for (const { reservationId } of [...lanes, ...empty]) this.inHand.add(reservationId)
    this.ready.push(...lanes)
    if (this.isBusy) this.lastBusyAt = now
  }

  /** The delivery to send now, which is then under way; null when there is none or enough are. */
  next(now: number, share: number): ReadyLane | null {
    if (!this.known || now >= this.leasedUntil || this.underWay >= this.limit(now, share)) return null
    const lane = this.ready.shift()
    if (!lane) return null
    this.underWay += 1
    return lane
  }

  /**
   * @param end null when the attempt was broken off and says nothing
   * @param target where it went
   */
  ended(end: AttemptEnd | null, target: DeliveryTarget | null, now: number): void {
    this.underWay -= 1
    this.lastBusyAt = now
    if (!end || target !== this.target) return
    this.known?.breaker.record(end, now)
    this.known?.concurrency.record(end.ok, this.underWay)
    this.health.note(end)
    // What waits behind an open breaker is read anew when it ends: it may have been acknowledged meanwhile.
    if (end.isGone || this.isBroken(now)) this.drop()
  }

  /** The lane's result is written, or it came to none: what comes next in it can be read. */
  release(reservationId: string, hasMore: boolean): void {
    this.inHand.delete(reservationId)
    this.mayHaveMore ||= hasMore || this.mayHavePassed
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
    if (this.isClosed) return 0
    if (!this.known) return LEAST_CONCURRENCY
    return Math.min(this.known.concurrency.current, this.known.breaker.allowance(now), share)
  }
}
