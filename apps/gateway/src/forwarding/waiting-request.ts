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

  /** Resolves when the wait has ended; at once if there was a reason before. */
  async ended(): Promise<WaitEnd> {
    if (this.reason === null && !this.hasNews) await this.next()
    const { reason } = this
    this.reason = null
    return reason ?? 'change'
  }

  private next(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.end('time'), this.until - performance.now())
      this.wake = () => {
        clearTimeout(timer)
        this.wake = null
        resolve()
      }
    })
  }
}
