import type { IncomingMessage } from 'node:http'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database'
import { FairQueue, waitForTurn } from '@connectivity/service-kit/work'
import type { FastifyRequest } from 'fastify'
import type { Admitted } from '../admission/admitted.js'

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

const TRY_AGAIN = 'try again with back-off'
/** Advice for lists of requests. */
export const SHORTER_TIME = `ask for a shorter time with since and until, or ${TRY_AGAIN}`

/** Caller of a search. */
export interface Searcher {
  /** Application id, or one name for all operators. */
  name: string
  request: IncomingMessage
}

/** The caller of a partner's search; all credentials of an application share its turns. */
export const partner = ({ credential, http }: Admitted): Searcher => ({
  name: credential.applicationId,
  request: http.raw,
})

/** The caller of an operator's search; all operators together take turns like one application. */
export const operator = ({ raw }: FastifyRequest): Searcher => ({ name: 'operators', request: raw })

/**
 * Runs searches of the request log. Applications take turns, and searches never use the connections that signed
 * requests need for their bindings.
 */
@Injectable()
export class LogSearches {
  private readonly queue = new FairQueue({ mayBegin: (_name, own, all) => own < OF_ONE && all < AT_ONCE })

  constructor(private readonly database: Database) {}

  /**
   * @param advice advice in the refusal of a search that takes too long
   * @throws ServiceError 503 when the turn does not come, or the search takes too long
   */
  async run<T>({ name, request }: Searcher, search: (tx: Transaction) => Promise<T>, advice = TRY_AGAIN): Promise<T> {
    await this.turn(name, request)
    try {
      return await this.database.transaction((tx) => {
        tx.limitStatements(LONGEST_SEARCH)
        return search(tx)
      })
    } catch (error) {
      throw (error as { code?: unknown }).code === QUERY_CANCELED ? tooLong(advice) : error
    } finally {
      this.queue.leave(name)
    }
  }

  /** Waits for a turn; a client that disconnects leaves the queue. */
  private async turn(name: string, { socket }: IncomingMessage): Promise<void> {
    const waiting = this.queue.enter(name)
    if (waiting === null) return
    const leave = () => waiting.giveUp(tooMany())
    socket.once('close', leave)
    try {
      await waitForTurn(waiting, { ms: LONGEST_WAIT, late: tooMany })
    } finally {
      socket.off('close', leave)
    }
  }
}

const tooMany = (): ServiceError =>
  new ServiceError('service_unavailable', 'Other searches of the request log are running; try again with back-off.', {
    retryAfterSeconds: 5,
  })

const tooLong = (advice: string): ServiceError =>
  new ServiceError('service_unavailable', `The search of the request log took too long; ${advice}.`, {
    retryAfterSeconds: 5,
  })
