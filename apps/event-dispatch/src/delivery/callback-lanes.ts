import type { Lease } from './lease.store.js'
import { Breaker, type BreakerMemory } from './breaker.js'
import type { DeliveryTarget } from './delivery-target.store.js'
import { Concurrency, LEAST_CONCURRENCY } from './concurrency.js'
import { HealthNotes } from './health-notes.js'
import type { DueDelivery, DueLane } from './lane.store.js'
import type { Verdict } from './verdict.js'

/** A lane in hand with its next delivery. */
export type ReadyLane = DueLane & { delivery: DueDelivery }

/** Lanes in hand per attempt allowed in flight: enough to continue while the next lanes are read. */
const STOCK = 4

/**
 * The lanes of one callback that this process has in hand; decides which delivery goes next. A lane is in hand from its
 * reading until its result is written. A reservation therefore never has two deliveries in flight, and none overtakes
 * one whose result would be lost in a crash. Time, in ms, comes from the caller.
 */
export class CallbackLanes {
  /** Health at the present target that is not yet written. */
  health = new HealthNotes()
  readonly stopped = new AbortController()
  private known: { target: DeliveryTarget; breaker: Breaker; concurrency: Concurrency } | null = null
  private readonly ready: ReadyLane[] = []
  private readonly inHand = new Set<string>()
  isLost = false
  isClosed = false
  private inFlight = 0
  /** Whether more lanes may be due than have been read. */
  private mayHaveMore = true
  /** Whether the latest reading skipped lanes in hand, which may have new deliveries. */
  private mayHavePassed = false
  /** Last time with a lane in hand. */
  private lastBusyAt: number

  constructor(
    readonly lease: Lease,
    now: number,
    /** End of the lease unless it is extended; nothing is sent afterwards. */
    public leasedUntil: number,
  ) {
    this.lastBusyAt = now
  }

  /** Reservations whose lane is in hand. */
  get busy(): Iterable<string> {
    return this.inHand
  }

  /** Target of the events; null until read. */
  get target(): DeliveryTarget | null {
    return this.known && this.known.target
  }

  get breaker(): Readonly<BreakerMemory> | null {
    return this.known && this.known.breaker.remembered
  }

  /** Whether the breaker is open. */
  isBroken(now: number): boolean {
    return this.known?.breaker.allowance(now) === 0
  }

  /** The callback changed: starts with new breaker, health and concurrency, and ignores attempts at the old target. */
  follow(target: DeliveryTarget, now: number): void {
    const { failuresInRow, breakerOpened, breakerOpenFor } = target
    const openUntil = breakerOpenFor === null ? null : now + breakerOpenFor
    const breaker = new Breaker({ failuresInRow, opened: breakerOpened, openUntil })
    this.known = { target, breaker, concurrency: new Concurrency() }
    this.health = new HealthNotes()
  }

  /** @param share attempts that this process allows in flight per callback */
  wanted(now: number, share: number): number {
    const limit = this.limit(now, share)
    if (this.ready.length >= limit) return 0
    return Math.max(limit * STOCK - this.ready.length - this.inFlight, 0)
  }

  /** Whether to read lanes again without waiting for new deliveries. */
  wantsMore(now: number, share: number): boolean {
    return this.mayHaveMore && this.wanted(now, share) > 0
  }

  /** Call when a reading of lanes begins: it skips the lanes in hand now, even if they are released before it ends. */
  ask(now: number, share: number): number {
    const wanted = this.wanted(now, share)
    if (wanted > 0) this.mayHaveMore = false
    this.mayHavePassed = this.isBusy
    return wanted
  }

  /**
   * Takes the lanes read into hand.
   * @param empty lanes without a delivery, in hand until they are removed
   * @param wanted number of lanes requested
   */
  add(lanes: readonly ReadyLane[], empty: readonly DueLane[], wanted: number, now: number): void {
    this.mayHaveMore ||= wanted > 0 && lanes.length + empty.length >= wanted
    for (const { reservationId } of [...lanes, ...empty]) this.inHand.add(reservationId)
    this.ready.push(...lanes)
    if (this.isBusy) this.lastBusyAt = now
  }

  /** Returns the next lane to send and counts it as in flight; null if there is none or the limit is reached. */
  next(now: number, share: number): ReadyLane | null {
    if (!this.known || now >= this.leasedUntil || this.inFlight >= this.limit(now, share)) return null
    const lane = this.ready.shift()
    if (!lane) return null
    this.inFlight += 1
    return lane
  }

  /**
   * @param verdict null if nothing was sent or we aborted the attempt
   * @param target target of the attempt
   */
  ended(verdict: Verdict | null, target: DeliveryTarget | null, now: number): void {
    this.inFlight -= 1
    this.lastBusyAt = now
    if (!verdict || target !== this.target) return
    this.known?.breaker.record(verdict, now)
    this.known?.concurrency.record(verdict.kind === 'delivered', this.inFlight)
    this.health.note(verdict)
    // Lanes that wait for an open breaker are read again when it ends: events may be acknowledged by then.
    if (verdict.kind === 'gone' || this.isBroken(now)) this.drop()
  }

  /** The lane's result is written, or there is none: its next delivery can be read. */
  release(reservationId: string, hasMore: boolean): void {
    this.inHand.delete(reservationId)
    this.mayHaveMore ||= hasMore || this.mayHavePassed
  }

  /** Releases the lanes that have not been sent. */
  drop(): void {
    for (const { reservationId } of this.ready.splice(0)) this.inHand.delete(reservationId)
  }

  /** Sends nothing more. */
  close(): void {
    this.isClosed = true
    this.drop()
  }

  /** Like `close`, and aborts the attempts in flight. */
  stop(): void {
    this.close()
    this.stopped.abort()
  }

  /** The lease is lost: like `stop`, and drops results. */
  lose(): void {
    this.isLost = true
    this.stop()
  }

  /** Time without a lane in hand, ms. */
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
