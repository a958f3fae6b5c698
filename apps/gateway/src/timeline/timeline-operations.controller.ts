import { Controller, Get, Param, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { wholeList } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { operatorCaller } from '../forwarding/exchange/service-caller.js'
import { operatorSearcher } from '../request-log/log-searches.service.js'
import { Timelines } from './timelines.service.js'

/** The timeline of a reservation on any connection, for operators. */
@Controller(`${OPERATORS_PATH}/connections/:connectionId/reservations/:reservationId/timeline`)
export class TimelineOperationsController {
  constructor(private readonly timelines: Timelines) {}

  /** @throws ServiceError 404 for a reservation that the feed never showed on the connection */
  @Get()
  async read(
    @Param('connectionId') connectionId: string,
    @Param('reservationId') reservationId: string,
    @Req() request: FastifyRequest,
  ): Promise<object> {
    const named = { searcher: operatorSearcher(request), connectionId, reservationId }
    const timeline = await this.timelines.of({ ...named, caller: operatorCaller(request), base: OPERATORS_PATH })
    return { ...timeline, pagination: wholeList(timeline.entries.length) }
  }
}
