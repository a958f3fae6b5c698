import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database } from '@connectivity/database/database'
import type { Transaction } from '@connectivity/database/transaction'
import { FairQueue, waitForTurn } from '@connectivity/service-kit/fair-queue'

/** Name by which operators take turns, together as one application does. */
export const OPERATORS = 'operators'

/** Searches at the same time. */
const AT_ONCE = 2
/** Searches of one application at the same time. */
const OF_ONE = 1
/** Longest wait for a turn, ms. */
const LONGEST_WAIT = 5_000
/** Longest search, ms: a filter that matches little reads all days of an application. */
const LONGEST_SEARCH = 3_000
/** SQLSTATE of a statement that the database ended. */
const QUERY_CANCELED = '57014'

/**
 * Runs searches of the request log. Applications take turns, and searches never use the connections that signed
 * requests need for their bindings.
 */
@Injectable()
export class LogSearches {
  private readonly queue = new FairQueue({ mayBegin: (_name, own, all) => own < OF_ONE && all < AT_ONCE })

  constructor(private readonly database: Database) {}

  /**
   * @param caller application id, or another name that takes turns like one
   * @throws ServiceError 503 when the turn does not come, or the search takes too long
   */
  async run<T>(caller: string, search: (tx: Transaction) => Promise<T>): Promise<T> {
    await waitForTurn(this.queue.enter(caller), { ms: LONGEST_WAIT, late: tooMany })
    try {
      return await this.database.transaction((tx) => {
        tx.limitStatements(LONGEST_SEARCH)
        return search(tx)
      })
    } catch (error) {
      throw (error as { code?: unknown }).code === QUERY_CANCELED ? tooLong() : error
    } finally {
      this.queue.leave(caller)
    }
  }
}

const tooMany = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other searches of the request log are running; try again with back-off.', {
    retryAfterSeconds: 5,
  })

const tooLong = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The search of the request log took too long; ask for a shorter time with since and until, or try again.',
    { retryAfterSeconds: 5 },
  )
