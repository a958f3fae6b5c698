import { Injectable } from '@nestjs/common'
import { FairQueue } from '@connectivity/service-kit/fair-queue'

/** Size from which a body takes milliseconds to parse and check, bytes. */
const LARGE = 64 * 1024
/** Rest of an application after one of its large bodies, in multiples of the time that the body took. */
const REST_OF_APPLICATION = 4
/** Rest of all applications after a large body, in multiples of the same time. */
const REST_OF_ALL = 1
/** Longest rest, ms. */
const LONGEST_REST = 500

/**
 * Limits parsing and checking of large bodies: one in a turn of the event loop, in turns between applications, with rests
 * in between. All applications together use at most half of the process's time for it, one alone at most a fifth, so
 * that other requests wait for one body and not for all.
 */
@Injectable()
export class LargeBodyTurns {
  private readonly queue = new FairQueue({
    mayBegin: (applicationId, _own, all) => all < 1 && !this.areAllResting && !this.resting.has(applicationId),
  })
  private areAllResting = false
  /** Applications that rest. */
  private readonly resting = new Set<string>()

  /** Returns at once for a small body, otherwise when its turn comes; the caller must then process it synchronously. */
  async take(applicationId: string, bytes: number): Promise<void> {
    if (bytes < LARGE) return
    await this.queue.enter(applicationId)?.begun
    const begunAt = performance.now()
    setImmediate(() => this.end(applicationId, performance.now() - begunAt))
  }

  /** @param took ms */
  private end(applicationId: string, took: number): void {
    this.areAllResting = true
    this.resting.add(applicationId)
    this.queue.leave(applicationId)
    after(took * REST_OF_ALL, () => {
      this.areAllResting = false
      this.queue.advance()
    })
    after(took * REST_OF_APPLICATION, () => {
      this.resting.delete(applicationId)
      this.queue.advance()
    })
  }
}

const after = (rest: number, then: () => void): void => void setTimeout(then, Math.min(rest, LONGEST_REST))
