import { Controller, Get, Req, Res } from '@nestjs/common'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { addressedConnection } from '@connectivity/service-kit/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DeliveryStatuses } from './delivery-statuses.service.js'

/** GET /reservations/status: changes that the partner has not fetched yet. */
@Controller(`${BASE_PATH}/reservations/status`)
export class DeliveryStatusController {
  constructor(private readonly statuses: DeliveryStatuses) {}

  @Get()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, readConnectionId(queryOf(request.url)))
    const status: DeliveryStatus = await this.statuses.of(connectionId)
    void reply.headers({ 'cache-control': 'private, no-store', [CORRELATION_HEADER]: request.id }).send(status)
  }
}
