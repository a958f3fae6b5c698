import { Controller, Get, Req } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { pageOf, readPage } from '@connectivity/service-kit/operators-page'
import { type ConnectionOverview, OverviewStore } from './overview.store.js'

/**
 * What an operator looks at in the morning: operations.md §1. It shows what the gateway has in its own database and asks
 * no other service, so what others know (lag of the feed, callback, unacknowledged events, dead letters) is null until
 * they tell it over Kafka.
 */
@Controller('ops/v1/overview')
export class OverviewController {
  constructor(private readonly overview: OverviewStore) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    return pageOf('connections', await this.overview.list(page), page, ({ property_id }) => property_id, present)
  }
}

const present = (connection: ConnectionOverview): object => ({
  property_id: connection.property_id,
  application_id: connection.application_id,
  state: connection.state,
  feed: { lag_ms: null, last_change_at: connection.last_change_at, last_polled_at: connection.last_polled_at },
  callback: { state: null },
  unacknowledged: null,
  dead_letters: null,
})
