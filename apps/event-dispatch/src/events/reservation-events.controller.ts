import { Controller, Get, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { readConnectionId, readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { INTERNAL_PATH, RESERVATION_EVENTS_PATH, type ReservationEvents } from '@connectivity/contracts/timeline'
import { askedConnection } from '@connectivity/service-kit/identity'
import type { FastifyRequest } from 'fastify'
import { ReservationEventStore } from './reservation-event.store.js'
import { presentMoment } from './reservation-events.view.js'

/** Event dispatch's part of a reservation's timeline, for the gateway. */
@Controller([INTERNAL_PATH + RESERVATION_EVENTS_PATH, OPERATORS_PATH + RESERVATION_EVENTS_PATH])
export class ReservationEventsController {
  constructor(private readonly events: ReservationEventStore) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ReservationEvents> {
    const query = new URLSearchParams(queryOf(request.url))
    const connectionId = askedConnection(request, readConnectionId(query))
    const moments = await this.events.find(connectionId, readParameter(query, 'reservation_id') ?? '')
    return { entries: moments.map(presentMoment) }
  }
}
