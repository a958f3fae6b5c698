import { setTimeout as delay } from 'node:timers/promises'
import { waitForTurn, type Waiting } from '@connectivity/service-kit/work'
import type { Admitted } from '../../admission/admitted.js'
import type { HeldAnswer } from '../answers/held-answer.js'
import type { LookKind } from '../exchange/service-calls.service.js'

/** Reason why a wait has ended. */
export type WaitEnd = 'change' | 'access' | 'time' | 'stop' | 'client'

/** Error of a wait for a turn that has ended for another reason. */
const ENDED = new Error('the request no longer waits for its turn')

/** The wait that a request asks for. */
export interface RequestedWait {
  seconds: number
  /** Value of `Preference-Applied` if a preference asks for the wait. */
  preference: string | null
}

/**
 * One request that waits for a change, at most until its time is over. It holds no connection to a service meanwhile,
 * and no function is suspended for it: thousands wait, and each suspended function costs some 500 bytes a request.
 */
export class WaitingRequest {
  /** Answer of the last look, without news; null while a look is in progress. */
  held: HeldAnswer | null = null
  looks = 0
  /** Whether it counts among the waiting requests of its connection: from the end of its first look without news. */
  hasPlace = false
  /** Whether a change came since the last look at the service began. */
  hasNews = false
  private reason: WaitEnd | null = null
  /** Its wait for a turn to look; null unless it waits for one. */
  private queued: Waiting | null = null
  /** Timer for the end of the wait; null unless the request waits. */
  private timer: NodeJS.Timeout | null = null
  /** Beginning of the wait, ms on the clock of `performance.now`. */
  private begunAt = 0
  private readonly until: number

  /** @param onWaitEnd called when a wait has ended; at most once after each `wait` */
  constructor(
    /** The request as last admitted. */
    public admitted: Admitted,
    readonly requested: RequestedWait,
    private readonly onWaitEnd: (request: WaitingRequest, end: WaitEnd) => void,
  ) {
    this.until = performance.now() + requested.seconds * 1000
  }

  get service(): string {
    return this.admitted.operation.owner
  }

  /** Waiting requests with the same key are woken together. */
  get key(): string {
    return waitKey(this.service, this.admitted.connection!.connectionId)
  }

  /**
   * Waits for a turn to look.
   * @param entered what the queue returned
   * @returns null when the turn has come, else the reason why the request does not wait for it any longer: its client
   * left, the process stops, or access must be checked again
   * @throws the error of `late`
   */
  async waitForTurn(entered: Waiting | null, limit: { ms: number; late: () => Error }): Promise<WaitEnd | null> {
    this.queued = entered
    if (this.reason !== null) entered?.giveUp(ENDED)
    try {
      await waitForTurn(entered, limit)
      return null
    } catch (error) {
      if (error !== ENDED) throw error
      const end = this.reason
      if (end === 'access') this.reason = null
      return end
    } finally {
      this.queued = null
    }
  }

  /**
   * Begins a look at the service. Only changes from now on are news, except to a last look, which also counts earlier
   * ones.
   */
  beginLook(kind: LookKind): void {
    this.looks += 1
    this.held = null
    if (kind !== 'last') this.hasNews = false
  }

  /** Notes a change of the connection, and ends a wait that is in progress. */
  changed(): void {
    this.hasNews = true
    this.wake()
  }

  /** Ends the wait. `reason` is reported instead of a change, but it does not replace an earlier final reason. */
  endWait(reason: WaitEnd): void {
    if (this.reason === null || !isFinal(this.reason)) this.reason = reason
    this.queued?.giveUp(ENDED)
    this.wake()
  }

  /** Delays the next look after one without news: many changes may not concern this request. @param time ms */
  async rest(time: number): Promise<void> {
    await delay(time)
    this.addWaited(time)
  }

  /**
   * Starts the wait; ends it at once if a change or another reason came during the look.
   * @param held answer without news
   */
  wait(held: HeldAnswer): void {
    this.held = held
    this.begunAt = performance.now()
    const left = Math.max(0, this.until - this.begunAt)
    // A timer may run a millisecond early.
    const valid = Math.max(0, this.admitted.validUntil - Date.now()) + 1
    this.timer = valid < left ? setTimeout(endInvalid, valid, this) : setTimeout(endInTime, left, this)
    if (this.reason !== null || this.hasNews) this.wake()
  }

  private wake(): void {
    if (!this.timer) return
    clearTimeout(this.timer)
    this.timer = null
    this.addWaited(performance.now() - this.begunAt)
    const end = this.reason ?? 'change'
    this.reason = null
    // Deferred: other listeners of the same notification drop their copies first, and requests are being iterated.
    queueMicrotask(() => this.onWaitEnd(this, end))
  }

  /** Notes the time at once: the log line of a client that left is written in the same turn. @param time ms */
  private addWaited(time: number): void {
    this.admitted.http.record.waited += time
  }
}

/** Callbacks of the timers, shared by thousands of waiting requests. */
const endInTime = (request: WaitingRequest): void => request.endWait('time')
const endInvalid = (request: WaitingRequest): void => request.endWait('access')

/** Whether the request is answered without another look. */
export const isFinal = (end: WaitEnd): boolean => end === 'stop' || end === 'client'

/** Key of the requests that wait for changes of a connection at a service. */
export const waitKey = (service: string, connectionId: string): string => `${service} ${connectionId}`
