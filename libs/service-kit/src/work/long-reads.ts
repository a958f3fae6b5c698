import { ServiceError } from '@connectivity/contracts/errors'
import { FairQueue } from './fair-queue.js'

/** Reads at once; each takes one of a process's eight connections for transactions. */
const AT_ONCE = 2
/** Reads of one reader at once. */
const OF_READER = 1
/** Longest wait for a turn, ms. */
const PATIENCE = 3_000
/** Seconds after which a client should ask again. */
const RETRY_AFTER = 2

/** Grants turns for long reads of the database, to the readers one after the other. */
export class LongReads {
  private readonly queue = new FairQueue({ mayBegin: (_reader, own, all) => own < OF_READER && all < AT_ONCE })

  /** @param message of the refusal when no turn comes in time */
  constructor(private readonly message: string) {}

  /**
   * Runs `work` when its turn comes.
   * @param reader name under which reads are counted together: a connection or an application
   * @param gone ends the wait with its reason
   * @throws ServiceError 503 when no turn comes within 3 s
   */
  take<T>(reader: string, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const late = () => new ServiceError('service_unavailable', this.message, { retryAfterSeconds: RETRY_AFTER })
    return this.queue.run(reader, work, { ms: PATIENCE, late, signal: gone })
  }
}
