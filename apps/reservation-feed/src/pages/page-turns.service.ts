import { Injectable } from '@nestjs/common'
import { FairQueue, RestingTurns } from '@connectivity/service-kit/work'
import { LRUCache } from 'lru-cache'

/** Pages at once; one of the database's four connections for single statements stays free for everything else. */
const AT_ONCE = 3
/** Pages of one connection at once; a partner that follows cursors needs one. */
const OF_CONNECTION = 2
/** Size from which a page is large, bytes. */
const LARGE = 256 * 1024
/** Connections remembered for their large pages; a forgotten one begins in the usual queue. */
const REMEMBERED = 10_000
/** Rest after a large page, in multiples of the time that it took. */
const RESTS = 3

/**
 * Grants turns for reading and writing pages, to the connections with the fewest pages in work first. A connection
 * whose last page was large waits in a second queue, which serves one page at a time and then rests three times as long
 * as the page took: pages of megabytes leave three quarters of the process's time to the projection and to small pages,
 * however many are requested.
 */
@Injectable()
export class PageTurns {
  private readonly usual = new FairQueue({
    mayBegin: (_connectionId, own, all) => all < AT_ONCE && own < OF_CONNECTION,
  })
  private readonly large = new RestingTurns({ own: 0, all: RESTS })
  /** Connections whose last page was large. */
  private readonly ofLargePages = new LRUCache<string, true>({ max: REMEMBERED })

  /** @param work reads and sends a page, and returns its size in bytes */
  async take(connectionId: string, work: () => Promise<number>): Promise<void> {
    const page = async () => this.note(connectionId, await work())
    const isLarge = () => this.ofLargePages.has(connectionId)
    const pageUnlessLarge = async () => {
      if (isLarge()) return false
      await page()
      return true
    }
    // A connection may move to the other queue while it waits.
    const isServed = !isLarge() && (await this.usual.run(connectionId, pageUnlessLarge))
    if (!isServed) await this.large.run(connectionId, page)
  }

  private note(connectionId: string, bytes: number): void {
    if (bytes >= LARGE) this.ofLargePages.set(connectionId, true)
    else this.ofLargePages.delete(connectionId)
  }
}
