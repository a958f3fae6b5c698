import { Injectable } from '@nestjs/common'
import type { ConnectionState } from '@connectivity/contracts/connection-events'
import type { ServiceName } from '@connectivity/contracts/identity'
import { LRUCache } from 'lru-cache'
import { type Admitted, showsAnswer } from '../../admission/admitted.js'
import { ChangeStreams } from './change-streams.client.js'
import type { RepeatableAnswer } from '../answers/held-answer.js'
import type { Keep } from '../exchange/service-calls.service.js'
import { waitKey } from './waiting-request.js'

/** Connections whose last answer is kept. */
const MOST_KEPT = 10_000
/** Longest time that an answer is repeated, ms: bounds how long a lost notification can hide a change. */
const LONGEST = 300_000
/** Precision of that time, ms. */
const PRECISION = 1_000

/** A question to a service; its answer stays the same until the connection changes. */
interface Entry {
  readonly target: string
  readonly tags: string | undefined
  readonly state: ConnectionState
  /** Null until the service has given an answer to be kept. */
  answer: RepeatableAnswer | null
}

/** Result of looking up a request. */
interface Found {
  /** The answer to the same question, if nothing has changed since; null if the service must be asked. */
  answer: RepeatableAnswer | null
  /**
   * Keeps the answer, unless the connection has changed since the service was asked; null if the answer is not kept:
   * an answer is collected only from the second equal question on.
   */
  keep: Keep | null
}

const UNKNOWN: Found = { answer: null, keep: null }

/**
 * The last answer without news to each connection, repeated without asking the service until the connection changes. An
 * entry is made before its service is asked, and a change removes it: so no answer is kept that a change has made
 * wrong.
 */
@Injectable()
export class RepeatableAnswers {
  private readonly entries = new LRUCache<string, Entry>({ max: MOST_KEPT, ttl: LONGEST, ttlResolution: PRECISION })

  constructor(private readonly streams: ChangeStreams) {
    streams.onChange((service, connectionId) => this.drop(service, connectionId))
  }

  /** Finds the answer, or notes that the service is asked from now on. */
  find(admitted: Admitted): Found {
    const service = this.serviceOf(admitted)
    if (!service) return UNKNOWN
    const key = waitKey(service, admitted.connection!.connectionId)
    const entry = entryOf(admitted)
    const earlier = this.entries.get(key)
    const isAskedAgain = earlier !== undefined && isSame(earlier, entry)
    if (isAskedAgain && earlier.answer) return { answer: earlier.answer, keep: null }
    this.entries.set(key, entry)
    if (!isAskedAgain) return UNKNOWN
    const keep: Keep = (answer) => {
      if (this.entries.get(key) === entry) entry.answer = answer
    }
    return { answer: null, keep }
  }

  /** The service, if its change stream is current; null for a request whose answer is never repeated. */
  private serviceOf(admitted: Admitted): ServiceName | null {
    const { operation } = admitted
    if (!operation.waits || !showsAnswer(admitted)) return null
    const service = operation.owner as ServiceName
    return this.streams.isCurrent(service) ? service : null
  }

  private drop(service: ServiceName, connectionId: string | null): void {
    if (connectionId === null) this.entries.clear()
    else this.entries.delete(waitKey(service, connectionId))
  }
}

const entryOf = ({ target, http, connection }: Admitted): Entry => ({
  target,
  tags: http.headers['if-none-match'],
  state: connection!.state,
  answer: null,
})

const isSame = (one: Entry, other: Entry): boolean =>
  one.target === other.target && one.tags === other.tags && one.state === other.state
