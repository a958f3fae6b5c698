import { setTimeout as delay } from 'node:timers/promises'
import type { Admitted } from '../admission/admitted.js'
import type { Answering, HeldAnswer } from './held-answer.js'

/** Why a wait has ended. */
export type WaitEnd = 'change' | 'access' | 'time' | 'stop' | 'client'

/** How long a request asks to wait. */
export interface AskedWait {
  seconds: number
  /** Value of `Preference-Applied` if a preference asks for the wait. */
  preference: string | null
}

/**
 * One request that waits for a change, at most until its time is over. It holds no connection to a service meanwhile,
 * and no function is suspended for it: thousands wait, and each suspended function costs about 500 bytes a request.
 */
export class WaitingRequest {
  /** Answer of the last look, without news; null while a look is in progress. */
  found: HeldAnswer | null = null
  looks = 0
  /** Whether a change came since the last look at the service began. */
  hasNews = false
  /** Time it has waited so far, ms. */
  waited = 0
  private reason: WaitEnd | null = null
  /** Not null while the request waits. */
  private timer: NodeJS.Timeout | null = null
  /** Begin of the wait, ms on the clock of `performance.now`. */
  private begunAt = 0
  private readonly until: number

  /** @param ended called when a wait has ended; at most once after each `wait` */
  constructor(
    readonly admitted: Admitted,
    readonly asked: AskedWait,
    readonly answering: Answering,
    private readonly ended: (request: WaitingRequest, end: WaitEnd) => void,
  ) {
    this.until = performance.now() + asked.seconds * 1000
  }

  get service(): string {
    return this.admitted.operation.owner
  }

  /** Begins a look at the service: only changes from now on are news. */
  beginLook(): void {
    this.looks += 1
    this.found = null
    this.hasNews = false
  }

  changed(): void {
    this.hasNews = true
    this.wake()
  }

  /** Ends the wait for another reason, which counts before a change. */
  end(reason: WaitEnd): void {
    this.reason = reason
    this.wake()
  }

  /** Looks that find nothing are made less often: changes that do not concern a request can be many. @param time ms */
  async rest(time: number): Promise<void> {
    await delay(time)
    this.waited += time
  }

  /** Waits until there is a reason to go on, which may be there already. @param found answer without news */
  wait(found: HeldAnswer): void {
    this.found = found
    this.begunAt = performance.now()
    this.timer = setTimeout(endInTime, this.until - this.begunAt, this)
    if (this.reason !== null || this.hasNews) this.wake()
  }

  private wake(): void {
    if (!this.timer) return
    clearTimeout(this.timer)
    this.timer = null
    this.waited += performance.now() - this.begunAt
    const end = this.reason ?? 'change'
    this.reason = null
    // Later: whoever reports a change informs the copies in memory too.
    queueMicrotask(() => this.ended(this, end))
  }
}

/** One function for all requests: thousands of them wait. */
const endInTime = (request: WaitingRequest): void => request.end('time')
