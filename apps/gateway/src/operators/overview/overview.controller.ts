import { Controller, Get, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pageOf, readPage } from '@connectivity/service-kit/operators-page'
import type { FastifyRequest } from 'fastify'
import { type Facts, FactsClient } from './facts.client.js'
import { type ConnectionOverview, OverviewStore } from './overview.store.js'

/**
 * The operators' morning overview. Facts of other services (lag of the feed, callback, unacknowledged
 * events, dead letters) are null while those services do not answer.
 */
@Controller(`${OPERATORS_PATH}/overview`)
export class OverviewController {
  constructor(
    private readonly overview: OverviewStore,
    private readonly facts: FactsClient,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    const rows = await this.overview.list(page)
    const facts = await this.facts.of(request, rows.slice(0, page.limit))
    const present = (row: ConnectionOverview) => presented(row, facts.get(row.property_id) ?? {})
    return pageOf('connections', rows, page, ({ property_id }) => property_id, present)
  }
}

const presented = (
  connection: ConnectionOverview,
  { lag_ms = null, callback_state = null, unacknowledged = null, dead_letters = null }: Facts,
): object => ({
  property_id: connection.property_id,
  application_id: connection.application_id,
  state: connection.state,
  feed: { lag_ms, last_change_at: connection.last_change_at, last_polled_at: connection.last_polled_at },
  callback: { state: callback_state },
  unacknowledged,
  dead_letters,
})
