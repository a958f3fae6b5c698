import { HttpStatus, Inject, Injectable } from '@nestjs/common'
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
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { ServiceCaller } from '../forwarding/exchange/service-caller.js'
import { serviceUnavailable } from '../forwarding/exchange/exchange.js'
import { type ServiceAnswer, ServiceQuestions } from '../forwarding/exchange/service-questions.client.js'
import { LogSearches, type Searcher } from '../request-log/log-searches.service.js'
import { ServedPageStore } from '../request-log/served-page.store.js'
import { timelineOf } from './timeline.js'

/** Longest wait for a service, ms. */
const TIMEOUT = 5_000

/** A requested timeline. */
interface TimelineRequest {
  searcher: Searcher
  connectionId: string
  reservationId: string
  caller: ServiceCaller
  /** The caller's part of the services' interfaces. */
  base: string
}

/** Assembles timelines of reservations from the records of the feed, event dispatch and the request log. */
@Injectable()
export class Timelines {
  constructor(
    private readonly pages: ServedPageStore,
    private readonly searches: LogSearches,
    private readonly questions: ServiceQuestions,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** @throws ServiceError 404 for a reservation that the feed never showed, 503 while a service does not answer */
  async of({ searcher, connectionId, reservationId, caller, base }: TimelineRequest): Promise<Timeline> {
    const named = { property_id: connectionId, reservation_id: reservationId }
    checkValue(reservationId, 'reservation_id')
    const query = String(new URLSearchParams(named))
    const ask = (service: ServiceName, path: string) =>
      this.questions
        .ask(caller, service, { path: `${base}${path}?${query}`, timeout: TIMEOUT })
        .catch((err: unknown) => {
          this.log.warn({ err, service }, 'no answer for a timeline')
          return null
        })
    const [feed, dispatch] = await Promise.all([
      ask('reservation-feed', RESERVATION_CHANGES_PATH),
      ask('event-dispatch', RESERVATION_EVENTS_PATH),
    ])
    const { changes } = answerIn<ReservationChanges>(feed)
    const { entries: events } = answerIn<ReservationEvents>(dispatch)
    const pages = await this.searches.run(searcher, (tx) => this.pages.find(tx, connectionId, changes))
    return { schema_version: SCHEMA_VERSION, ...named, entries: timelineOf(changes, pages, events) }
  }
}

/** @throws ServiceError the service's own refusal, 503 when it gave no answer */
function answerIn<T>(answer: ServiceAnswer | null): T {
  if (answer?.status === HttpStatus.OK) return answer.json as T
  const { error } = (answer?.json ?? {}) as Partial<ErrorBody>
  if (!error || answer!.status >= 500) throw serviceUnavailable()
  throw new ServiceError(error.code, error.message, error.details ? { details: error.details } : {})
}
