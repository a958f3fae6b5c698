import { Controller, Get, Param, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { requestFilters } from '@connectivity/contracts/request-log'
import { queryOf } from '@connectivity/contracts/request-target'
import type { FastifyRequest } from 'fastify'
import { LogSearches, operatorSearcher, SHORTER_TIME } from './log-searches.service.js'
import { explain, pageOfRequests, presentToOperators } from './logged-request.view.js'
import { notFound } from '@connectivity/service-kit/operators'
import { OPERATORS, RequestListings } from './request-listings.service.js'
import { RequestListStore } from './request-list.store.js'

const FILTERS = ['property_id', 'application_id', ...requestFilters]

/** GET /ops/v1/requests: the requests of all partners, and failed ones of strangers. */
@Controller(`${OPERATORS_PATH}/requests`)
export class RequestOperationsController {
  constructor(
    private readonly requests: RequestListStore,
    private readonly listings: RequestListings,
    private readonly searches: LogSearches,
  ) {}

  /** @throws ServiceError 400 `invalid_request` or `invalid_cursor` */
  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const parameters = new URLSearchParams(queryOf(request.originalUrl))
    const listing = await this.listings.read(parameters, OPERATORS, FILTERS)
    const page = await this.searches.run(
      operatorSearcher(request),
      (tx) => this.requests.list(tx, null, listing),
      SHORTER_TIME,
    )
    return pageOfRequests(page, listing, presentToOperators)
  }

  /**
   * The newest request with this correlation id, with what to do next.
   * @throws ServiceError 404 when the log has none
   */
  @Get(':correlationId')
  async read(@Param('correlationId') correlationId: string, @Req() request: FastifyRequest): Promise<object> {
    const row = correlationId.includes('\0') ? null : await this.find(correlationId, request)
    if (row) return explain(row)
    throw notFound('request')
  }

  private find(correlationId: string, request: FastifyRequest) {
    return this.searches.run(operatorSearcher(request), (tx) => this.requests.find(tx, null, correlationId))
  }
}
