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
  private wake: (() => void) | null = null

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
    this.wake?.()
  }

  /** Ends the wait for another reason, which counts before a change. */
  end(reason: WaitEnd): void {
    this.reason = reason
    this.wake?.()
  }

  /** Looks that find nothing are made less often: changes that do not concern a request can be many. @param time ms */
  async rest(time: number): Promise<void> {
    await delay(time)
    this.waited += time
  }

  /** Resolves when the wait has ended; at once if there was a reason before. */
  ended(): Promise<WaitEnd> {
    const begunAt = performance.now()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end('time'), this.until - begunAt)
      this.wake = () => {
        clearTimeout(timer)
        this.wake = null
        this.waited += performance.now() - begunAt
        resolve(this.reason ?? 'change')
        this.reason = null
      }
      if (this.reason !== null || this.hasNews) this.wake()
    })
  }
}
