import { ServiceError } from '@connectivity/contracts/errors'
import { FairQueue } from './fair-queue.js'

/** Reads at once; each takes one of a process's eight connections for transactions. */
const AT_ONCE = 2
/** Reads of one reader at once. */
const OF_READER = 1

/** Limits of the wait for a turn, and the refusal of a reader that gets none. */
export interface LongReadsOptions {
  /** Message of the refusal when no turn comes in time. */
  message: string
  /** Longest wait for a turn, ms; 3,000 by default. */
  patience?: number
  /** Seconds after which a refused client should ask again; 2 by default. */
  retryAfter?: number
}

/** Grants turns for long reads of the database, to the readers one after the other. */
export class LongReads {
  private readonly queue = new FairQueue({ mayBegin: (_reader, own, all) => own < OF_READER && all < AT_ONCE })

  constructor(private readonly options: LongReadsOptions) {}

  /**
   * Runs `work` when its turn comes.
   * @param reader name under which reads are counted together: a connection or an application
   * @param gone ends the wait with its reason
   * @throws ServiceError 503 when no turn comes in time
   */
  take<T>(reader: string, work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    const { message, patience = 3_000, retryAfter = 2 } = this.options
    const late = () => new ServiceError('service_unavailable', message, { retryAfterSeconds: retryAfter })
    return this.queue.run(reader, work, { ms: patience, late, signal: gone })
  }
}
