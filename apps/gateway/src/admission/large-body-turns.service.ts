import { Injectable } from '@nestjs/common'
import { FairQueue } from '@connectivity/service-kit/fair-queue'

/** Size from which a body takes milliseconds to parse and check, bytes. */
const LARGE = 64 * 1024

/**
 * Limits parsing and checking to one large body per turn of the event loop, in turns between applications, so that
 * other requests wait for one of them and not for all.
 */
@Injectable()
export class LargeBodyTurns {
  private readonly queue = new FairQueue({ mayBegin: (_applicationId, _own, all) => all < 1 })

  /** Returns at once for a small body, otherwise when its turn comes; the caller must then process it synchronously. */
  async take(applicationId: string, bytes: number): Promise<void> {
    if (bytes < LARGE) return
    await this.queue.enter(applicationId)?.begun
    setImmediate(() => this.queue.leave(applicationId))
  }
}
