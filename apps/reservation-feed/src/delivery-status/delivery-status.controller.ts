import { Controller, Get, Req } from '@nestjs/common'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { addressedConnection } from '@connectivity/service-kit/identity'
import type { FastifyRequest } from 'fastify'
import { DeliveryStatuses } from './delivery-statuses.service.js'

/** GET /reservations/status: changes that the partner has not fetched yet. */
@Controller(`${BASE_PATH}/reservations/status`)
export class DeliveryStatusController {
  constructor(private readonly statuses: DeliveryStatuses) {}

  @Get()
  read(@Req() request: FastifyRequest): Promise<DeliveryStatus> {
    const { property_id: connectionId } = addressedConnection(request, readConnectionId(queryOf(request.url)))
    return this.statuses.of(connectionId)
  }
}
