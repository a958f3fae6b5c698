import { Injectable } from '@nestjs/common'
import { FairQueue } from '@connectivity/service-kit/fair-queue'

/** Pages at once; one of the database's four connections for single statements stays free for the rest of the service. */
const AT_ONCE = 3
/** Pages of one connection at once; a partner that follows cursors needs one. */
const OF_CONNECTION = 2
/** Size from which a page is large, bytes. */
const LARGE = 256 * 1024
/** Rest after a large page, in multiples of the time that it took. */
const RESTS = 3
/** Longest rest after a large page, ms. */
const LONGEST_REST = 500

/**
 * Grants turns for reading and writing pages, to the connections one after the other. A connection whose last page was
 * large waits in a second queue, which serves one page at a time and then rests three times as long as the page took:
 * pages of megabytes leave three quarters of the process's time to the projection and to small pages, however many are
 * requested.
 */
@Injectable()
export class PageTurns {
  private readonly usual = new FairQueue({
    mayBegin: (_connectionId, own, all) => all < AT_ONCE && own < OF_CONNECTION,
  })
  private readonly large = new FairQueue({ mayBegin: (_connectionId, _own, all) => all < 1 && !this.isResting })
  /** Connections whose last page was large. */
  private readonly ofLargePages = new Set<string>()
  private isResting = false

  /** @param work reads and sends a page, and returns its size in bytes */
  async take(connectionId: string, work: () => Promise<number>): Promise<void> {
    const queue = await this.enter(connectionId)
    const begunAt = performance.now()
    try {
      this.note(connectionId, await work())
    } finally {
      if (queue === this.large) this.rest(performance.now() - begunAt)
      queue.leave(connectionId)
    }
  }

  /** @returns the queue in which it may begin; a connection may move to the other queue while it waits */
  private async enter(connectionId: string): Promise<FairQueue> {
    if (!this.ofLargePages.has(connectionId)) {
      await this.usual.enter(connectionId)?.begun
      if (!this.ofLargePages.has(connectionId)) return this.usual
      this.usual.leave(connectionId)
    }
    await this.large.enter(connectionId)?.begun
    return this.large
  }

  private note(connectionId: string, bytes: number): void {
    if (bytes >= LARGE) this.ofLargePages.add(connectionId)
    else this.ofLargePages.delete(connectionId)
  }

  /** @param duration of the previous page, ms */
  private rest(duration: number): void {
    this.isResting = true
    const resume = () => {
      this.isResting = false
      this.large.advance()
    }
    setTimeout(resume, Math.min(RESTS * duration, LONGEST_REST))
  }
}
