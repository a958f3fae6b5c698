import { Controller, Get, Req } from '@nestjs/common'
import { undeliveredStates } from '@connectivity/contracts/event-index'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { pageOf, readFilters, readPage, readSwitch } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { presentDelivery } from './delivery.view.js'
import { type DeliveryFilter, UndeliveredStore } from './undelivered.store.js'

/** Deliveries on /ops/v1: lists the events that wait, failed or were given up. */
@Controller(`${OPERATORS_PATH}/deliveries`)
export class DeliveryOperationsController {
  constructor(private readonly deliveries: UndeliveredStore) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = filterOf(request)
    const page = readPage(request, 'deliveries', filter)
    const rows = await this.deliveries.list(filter, page)
    return pageOf('deliveries', rows, page, ({ event_id }) => event_id, presentDelivery)
  }
}

function filterOf(request: FastifyRequest): DeliveryFilter {
  const { property_id: connectionId = null, state } = readFilters(request, 'property_id', 'state')
  const isFailing = readSwitch(request, 'failing')
  return { connectionId, state: checkWord(state, 'state', undeliveredStates), isFailing }
}
