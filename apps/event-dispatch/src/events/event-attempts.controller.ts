import { Controller, Get, Param, Req } from '@nestjs/common'
import type { EventAttempts } from '@connectivity/contracts/event-index'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import type { Pagination } from '@connectivity/contracts/reservation'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { wholeList } from '@connectivity/service-kit/operators'
import { isId } from '@connectivity/service-kit/text'
import type { FastifyRequest } from 'fastify'
import { noEvent } from '../not-found.js'
import { EventAttemptsStore } from './event-attempts.store.js'
import { presentAttempts } from './event-attempts.view.js'

/** GET /reservations/events/{event_id}/attempts: every attempt to deliver one event. */
@Controller()
export class EventAttemptsController {
  constructor(private readonly store: EventAttemptsStore) {}

  @Get(`${BASE_PATH}/reservations/events/:eventId/attempts`)
  async list(@Param('eventId') eventId: string, @Req() request: FastifyRequest): Promise<EventAttempts> {
    const connectionId = readConnectionId(new URLSearchParams(queryOf(request.url)))
    return this.attempts(addressedConnection(request, connectionId).property_id, eventId)
  }

  /** Attempts for operators, of any connection. */
  @Get(`${OPERATORS_PATH}/connections/:connectionId/events/:eventId/attempts`)
  async listForOperators(
    @Param('connectionId') connectionId: string,
    @Param('eventId') eventId: string,
  ): Promise<EventAttempts & { pagination: Pagination }> {
    const answer = await this.attempts(connectionId, eventId)
    return { ...answer, pagination: wholeList(answer.attempts.length) }
  }

  private async attempts(connectionId: string, eventId: string): Promise<EventAttempts> {
    const attempts = isId(eventId) ? await this.store.find(connectionId, eventId) : null
    if (!attempts) throw noEvent()
    return presentAttempts(connectionId, eventId, attempts)
  }
}
