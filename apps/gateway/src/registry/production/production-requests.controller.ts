import { Body, Controller, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common'
import { invalidParameter } from '@connectivity/contracts/errors'
import { OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { type ProductionRequestState, productionRequestStates } from '@connectivity/contracts/production'
import { pageOf, readFilters, readPage } from '@connectivity/service-kit/operators-page'
import { withSchemaVersion } from '@connectivity/service-kit/operators-record'
import type { FastifyRequest } from 'fastify'
import { auditContextOf } from '../changes/audit-context.js'
import { IdempotentChanges } from '../changes/idempotent-changes.interceptor.js'
import { presentRequest } from './production-request.entity.js'
import { type Decision, ProductionRequestStore } from './production-request.store.js'

/** Operators decide who goes live: operations.md §1. */
@UseInterceptors(IdempotentChanges)
@Controller(`${OPERATORS_PATH}/production-requests`)
export class ProductionRequestsController {
  constructor(private readonly requests: ProductionRequestStore) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    const rows = await this.requests.list(filterOf(request), page)
    return pageOf('production_requests', rows, page, ({ requestId }) => requestId, presentRequest)
  }

  @Post(':id/approve')
  @HttpCode(200)
  approve(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: OperatorChange): Promise<object> {
    return this.decide(request, id, 'approve', body)
  }

  @Post(':id/reject')
  @HttpCode(200)
  reject(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: OperatorChange): Promise<object> {
    return this.decide(request, id, 'reject', body)
  }

  private async decide(request: FastifyRequest, id: string, decision: Decision, body: OperatorChange): Promise<object> {
    const context = auditContextOf(request, `production_request.${decision}`, body)
    return withSchemaVersion(presentRequest(await this.requests.decide(context, id, decision)))
  }
}

function filterOf(request: FastifyRequest) {
  const { property_id, state } = readFilters(request, 'property_id', 'state')
  if (state !== undefined && !productionRequestStates.includes(state as ProductionRequestState)) {
    throw invalidParameter('state', 'invalid_value', `state must be one of ${productionRequestStates.join(', ')}.`)
  }
  return {
    ...(property_id === undefined ? {} : { connectionId: property_id }),
    ...(state === undefined ? {} : { state: state as ProductionRequestState }),
  }
}
