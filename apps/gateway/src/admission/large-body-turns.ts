import { Injectable } from '@nestjs/common'
import { FairQueue } from '@connectivity/service-kit/fair-queue'

/** From here on a body costs milliseconds to parse and to check, bytes. */
const LARGE = 64 * 1024

/**
 * Has large bodies parsed and checked one in each turn of the event loop, applications one after the other, so that
 * requests that come meanwhile wait for one of them and not for all.
 */
@Injectable()
export class LargeBodyTurns {
  private readonly queue = new FairQueue({ mayBegin: (_applicationId, _own, all) => all < 1 })

  /** Returns at once for a small body; for a large one when it may be worked on, synchronously, by its caller. */
  async take(applicationId: string, bytes: number): Promise<void> {
    if (bytes < LARGE) return
    await this.queue.enter(applicationId)?.begun
    setImmediate(() => this.queue.leave(applicationId))
  }
}
