import { Controller, Get, Param, Req, Res } from '@nestjs/common'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { type ReservationProblem, SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { matchesTag } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noReservation, servable, unresolved } from './feed-refusals.js'
import { FeedPageStore, type SingleRow } from './feed-page.store.js'

/** GET /reservations/{reservation_id}: one reservation as the feed holds it. */
@Controller(`${BASE_PATH}/reservations`)
export class ReservationController {
  constructor(private readonly store: FeedPageStore) {}

  @Get(':reservationId')
  async one(
    @Param('reservationId') reservationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const connectionId = readConnectionId(queryOf(request.url))
    const connection = addressedConnection(request, connectionId)
    const { stamp, body } = await this.reservation(connection.property_id, reservationId)
    const tag = `W/"${stamp}"`
    void reply.headers({ 'content-type': 'application/json; charset=utf-8', etag: tag })
    if (matchesTag(request.headers['if-none-match'], tag)) void reply.status(304).send()
    else void reply.send(`{"schema_version":"${SCHEMA_VERSION}","reservation":${body}}`)
  }

  private async reservation(connectionId: string, reservationId: string): Promise<SingleRow> {
    servable(await this.store.head(connectionId))
    const row = reservationId.includes('\0') ? null : await this.store.row(connectionId, reservationId)
    if (row === null) throw noReservation()
    if (row.kind === 'problem') throw unresolved(JSON.parse(row.body) as ReservationProblem)
    return row
  }
}
