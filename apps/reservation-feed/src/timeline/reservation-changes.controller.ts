import { Controller, Get, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { readConnectionId, readParameter } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { INTERNAL_PATH, RESERVATION_CHANGES_PATH, type ReservationChanges } from '@connectivity/contracts/timeline'
import { askedConnection } from '@connectivity/service-kit/identity'
import type { FastifyRequest } from 'fastify'
import { FeedPageStore } from '../pages/feed-page.store.js'
import { completeHead, noReservation, servable } from '../pages/feed-refusals.js'
import { ReservationStampStore } from './reservation-stamp.store.js'

/** The feed's part of a reservation's timeline, for the gateway. */
@Controller([INTERNAL_PATH + RESERVATION_CHANGES_PATH, OPERATORS_PATH + RESERVATION_CHANGES_PATH])
export class ReservationChangesController {
  constructor(
    private readonly feeds: FeedPageStore,
    private readonly stamps: ReservationStampStore,
  ) {}

  /**
   * @throws ServiceError 404 for a reservation that the feed never showed, 503 while the feed is being filled or, for a
   *   partner, unknown
   */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ReservationChanges> {
    const query = new URLSearchParams(queryOf(request.url))
    const connectionId = askedConnection(request, readConnectionId(query))
    const head = await this.feeds.head(connectionId)
    if (request.caller?.operator) completeHead(head)
    else servable(head)
    const changes = await this.stamps.find(connectionId, readParameter(query, 'reservation_id') ?? '')
    if (changes.length > 0) return { changes }
    throw noReservation()
  }
}
