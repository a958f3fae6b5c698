import { Controller, Get, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pageOf, readPage } from '@connectivity/service-kit/operators-page'
import type { FastifyRequest } from 'fastify'
import { type Facts, FactsClient } from './facts.client.js'
import { type ConnectionOverview, OverviewStore } from './overview.store.js'

/**
 * The operators' morning overview. Facts of other services (lag of the feed and what its partner has not fetched, callback,
 * unacknowledged events, dead letters) are null while those services do not answer.
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

const notSaid: Required<Facts> = {
  lag_ms: null,
  processed_to: null,
  waiting: null,
  at_risk: null,
  last_proven_at: null,
  callback_state: null,
  unacknowledged: null,
  dead_letters: null,
}

function presented(connection: ConnectionOverview, said: Facts): object {
  const facts = { ...notSaid, ...said }
  const { lag_ms, processed_to, waiting, at_risk, last_proven_at } = facts
  const { property_id, application_id, state, last_change_at, last_polled_at } = connection
  return {
    property_id,
    application_id,
    state,
    feed: { lag_ms, last_change_at, last_polled_at, processed_to, waiting, at_risk, last_proven_at },
    callback: { state: facts.callback_state },
    unacknowledged: facts.unacknowledged,
    dead_letters: facts.dead_letters,
  }
}
