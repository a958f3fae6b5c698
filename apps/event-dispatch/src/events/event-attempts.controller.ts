import { Controller, Get, Param, Req } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { EventAttempts } from '@connectivity/contracts/event-index'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { addressedConnection } from '@connectivity/service-kit/addressed-connection'
import type { FastifyRequest } from 'fastify'
import { EventAttemptsStore } from './event-attempts.store.js'

/** Any other text is unknown without a database query. */
const EVENT_ID = /^\w{1,128}$/

/** GET /reservations/events/{event_id}/attempts: every attempt to deliver one event. */
@Controller(`${BASE_PATH}/reservations/events/:eventId/attempts`)
export class EventAttemptsController {
  constructor(private readonly store: EventAttemptsStore) {}

  @Get()
  async list(@Param('eventId') event_id: string, @Req() request: FastifyRequest): Promise<EventAttempts> {
    const connectionId = readConnectionId(new URLSearchParams(queryOf(request.url)))
    const { property_id } = addressedConnection(request.identity, connectionId)
    const attempts = EVENT_ID.test(event_id) ? await this.store.find(property_id, event_id) : null
    if (attempts) return { schema_version: SCHEMA_VERSION, property_id, event_id, attempts }
    throw new ServiceError(
      'not_found',
      'This property connection has no such event; events are kept for 30 days, see GET /reservations/events.',
    )
  }
}
