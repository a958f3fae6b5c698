import { Controller, Get, Param } from '@nestjs/common'
import type { DeliveryStatus } from '@connectivity/contracts/delivery-status'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { isId } from '@connectivity/service-kit/text'
import { notFound } from '@connectivity/service-kit/operators'
import { DeliveryStatuses } from './delivery-statuses.service.js'

/** GET /ops/v1/connections/{id}/delivery-status: changes that the partner has not fetched yet. */
@Controller(`${OPERATORS_PATH}/connections`)
export class DeliveryStatusOperationsController {
  constructor(private readonly statuses: DeliveryStatuses) {}

  @Get(':connectionId/delivery-status')
  async read(@Param('connectionId') connectionId: string): Promise<DeliveryStatus> {
    const status = isId(connectionId) ? await this.statuses.ofKnown(connectionId) : null
    if (status) return status
    throw notFound('connection')
  }
}
