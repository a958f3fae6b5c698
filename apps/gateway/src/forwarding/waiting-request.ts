import { setTimeout as delay } from 'node:timers/promises'

/** Why a wait has ended. */
export type WaitEnd = 'change' | 'access' | 'time' | 'stop' | 'client'

/** Ids by which changes concern a waiting request. */
export interface WaitingFor {
  service: string
  connectionId: string
  applicationId: string
  /** Key id, client id or portal link. */
  keyId: string
}

/** One request that waits for a change, at most until its time is over. It holds no connection to a service meanwhile. */
export class WaitingRequest {
  /** Whether a change came since the last look at the service began. */
  hasNews = false
  /** Time it has waited so far, ms. */
  waited = 0
  private reason: WaitEnd | null = null
  /** Ends the wait; null while the request does not wait. */
  private resolve: ((end: WaitEnd) => void) | null = null
  private timer: NodeJS.Timeout | undefined
  /** Begin of the wait, ms on the clock of `performance.now`. */
  private begunAt = 0

  /** @param until end of its time, ms on the clock of `performance.now` */
  constructor(
    readonly waitsFor: WaitingFor,
    private readonly until: number,
  ) {}

  /** Begins a look at the service: only changes from now on are news. */
  beginLook(): void {
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

  /** Resolves when the wait has ended; at once if there was a reason before. */
  ended(): Promise<WaitEnd> {
    this.begunAt = performance.now()
    return new Promise((resolve) => {
      this.timer = setTimeout(endInTime, this.until - this.begunAt, this)
      this.resolve = resolve
      if (this.reason !== null || this.hasNews) this.wake()
    })
  }

  private wake(): void {
    if (!this.resolve) return
    clearTimeout(this.timer)
    this.waited += performance.now() - this.begunAt
    this.resolve(this.reason ?? 'change')
    this.resolve = null
    this.reason = null
  }
}

/** One function for all requests: thousands of them wait. */
const endInTime = (request: WaitingRequest): void => request.end('time')
