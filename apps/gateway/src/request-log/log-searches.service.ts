import type { IncomingMessage } from 'node:http'
import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Database, type Transaction } from '@connectivity/database'
import { whileClientWaits } from '@connectivity/service-kit/http'
import { LongReads } from '@connectivity/service-kit/work'
import type { FastifyRequest } from 'fastify'
import type { Admitted } from '../admission/admitted.js'

/** Longest wait for a turn, ms: longer than a search. */
const PATIENCE = 5_000
/** Longest search, ms: a filter that matches little reads all days of an application. */
const LONGEST_SEARCH = 3_000
/** Retry-After of a refused search, s. */
const RETRY_AFTER = 5
/** SQLSTATE of a statement that the database ended. */
const QUERY_CANCELED = '57014'

const TRY_AGAIN = 'try again with back-off'
/** Advice for lists of requests. */
export const SHORTER_TIME = `ask for a shorter time with since and until, or ${TRY_AGAIN}`

const TOO_MANY = `Other searches of the request log are running; ${TRY_AGAIN}.`

/** Caller of a search. */
export interface Searcher {
  /** Application id, or one name for all operators. */
  name: string
  request: IncomingMessage
}

/** The caller of a partner's search; all credentials of an application share its turns. */
export const partnerSearcher = ({ credential, http }: Admitted): Searcher => ({
  name: credential.applicationId,
  request: http.raw,
})

/** The caller of an operator's search; all operators together take turns like one application. */
export const operatorSearcher = ({ raw }: FastifyRequest): Searcher => ({ name: 'operators', request: raw })

/**
 * Runs searches of the request log. Applications take turns, and searches never use the connections that signed
 * requests need for their bindings.
 */
@Injectable()
export class LogSearches {
  private readonly turns = new LongReads({ message: TOO_MANY, patience: PATIENCE, retryAfter: RETRY_AFTER })

  constructor(private readonly database: Database) {}

  /**
   * @param advice advice in the refusal of a search that takes too long
   * @throws ServiceError 503 when the turn does not come, or the search takes too long
   */
  run<T>(searcher: Searcher, search: (tx: Transaction) => Promise<T>, advice = TRY_AGAIN): Promise<T> {
    const { name, request } = searcher
    return whileClientWaits(request, (gone) => this.turns.take(name, () => this.search(search, advice), gone))
  }

  private async search<T>(search: (tx: Transaction) => Promise<T>, advice: string): Promise<T> {
    try {
      return await this.database.transaction((tx) => {
        tx.limitStatements(LONGEST_SEARCH)
        return search(tx)
      })
    } catch (error) {
      const isTooLong = (error as { code?: unknown }).code === QUERY_CANCELED
      throw isTooLong ? refusal(`The search of the request log took too long; ${advice}.`) : error
    }
  }
}

const refusal = (message: string): ServiceError =>
  new ServiceError('service_unavailable', message, { retryAfterSeconds: RETRY_AFTER })
