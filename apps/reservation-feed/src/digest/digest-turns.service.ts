import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { FairQueue } from '@connectivity/service-kit/work'

/** Readings of whole feeds at once; each takes one of the eight connections for transactions. */
const AT_ONCE = 2
/** Readings of one connection at once. */
const OF_CONNECTION = 1
/** Longest wait for a turn, ms. */
const PATIENCE = 3_000
/** Seconds after which a client should ask again. */
const RETRY_AFTER = 2

/** Grants turns for reading a whole feed, to the connections one after the other. */
@Injectable()
export class DigestTurns {
  private readonly queue = new FairQueue({ mayBegin: (_id, own, all) => own < OF_CONNECTION && all < AT_ONCE })

  /**
   * @param gone ends the wait with its reason
   * @throws ServiceError 503 when no turn comes within 3 s
   */
  take<T>(connectionId: string, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    return this.queue.run(connectionId, work, { ms: PATIENCE, late: busy, signal: gone })
  }
}

const busy = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other digests are being computed; ask again in a moment.', {
    retryAfterSeconds: RETRY_AFTER,
  })
