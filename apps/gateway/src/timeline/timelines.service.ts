import { Injectable } from '@nestjs/common'
import { type ErrorBody, ServiceError } from '@connectivity/contracts/errors'
import type { ServiceName } from '@connectivity/contracts/identity'
import { checkValue } from '@connectivity/contracts/query-parameters'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import {
  RESERVATION_CHANGES_PATH,
  RESERVATION_EVENTS_PATH,
  type ReservationChanges,
  type ReservationEvents,
  type Timeline,
} from '@connectivity/contracts/timeline'
import { serviceUnavailable } from '../forwarding/exchange.js'
import type { ServiceAnswer } from '../forwarding/service-answers.client.js'
import { LogSearches, type Searcher } from '../request-log/log-searches.service.js'
import { ServedPageStore } from '../request-log/served-page.store.js'
import { timelineOf } from './timeline.js'

/** Asks a service on behalf of the caller. @param path below the caller's part of its interface */
type Ask = (service: ServiceName, path: string) => Promise<ServiceAnswer>

/** A requested timeline. */
interface Asked {
  searcher: Searcher
  connectionId: string
  reservationId: string
}

const OK = 200

/** Assembles timelines of reservations from the records of the feed, event dispatch and the request log. */
@Injectable()
export class Timelines {
  constructor(
    private readonly pages: ServedPageStore,
    private readonly searches: LogSearches,
  ) {}

  /** @throws ServiceError 404 for a reservation that the feed never showed, 503 while a service does not answer */
  async of({ searcher, connectionId, reservationId }: Asked, ask: Ask): Promise<Timeline> {
    const named = { property_id: connectionId, reservation_id: reservationId }
    checkValue(reservationId, 'reservation_id')
    const query = String(new URLSearchParams(named))
    const [feed, dispatch] = await Promise.all([
      ask('reservation-feed', `${RESERVATION_CHANGES_PATH}?${query}`).catch(() => null),
      ask('event-dispatch', `${RESERVATION_EVENTS_PATH}?${query}`).catch(() => null),
    ])
    const { changes } = answerIn<ReservationChanges>(feed)
    const { entries: events } = answerIn<ReservationEvents>(dispatch)
    const pages = await this.searches.run(searcher, (tx) => this.pages.find(tx, connectionId, changes))
    return { schema_version: SCHEMA_VERSION, ...named, entries: timelineOf(changes, pages, events) }
  }
}

/** @throws ServiceError the service's own refusal, 503 when it gave no answer */
function answerIn<T>(answer: ServiceAnswer | null): T {
  if (answer?.status === OK) return answer.json as T
  const { error } = (answer?.json ?? {}) as Partial<ErrorBody>
  if (!error || answer!.status >= 500) throw serviceUnavailable()
  throw new ServiceError(error.code, error.message, error.details ? { details: error.details } : {})
}
