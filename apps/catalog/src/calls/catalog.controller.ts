import { Controller, Get, Req, Res } from '@nestjs/common'
import type { RatePlanList, RoomList } from '@connectivity/contracts/catalog-lists'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readConnectionId } from '@connectivity/contracts/query-parameters'
import { queryOf } from '@connectivity/contracts/request-target'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { matchesTag } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { catalogRatePlans, catalogRooms } from '../catalogs/connection-catalog.js'
import { headersOf } from '../mappings/mapping-answer.js'
import { type MappingState, MappingStore } from '../mappings/mapping.store.js'
import { listedRatePlan, listedRoom } from './catalog-list.view.js'

/** GET /catalog/rooms and GET /catalog/rate-plans: empty until the property's first snapshot has arrived. */
@Controller(`${BASE_PATH}/catalog`)
export class CatalogController {
  constructor(
    private readonly database: Database,
    private readonly mappings: MappingStore,
  ) {}

  @Get('rooms')
  rooms(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.list(request, reply, 'rooms', (connectionId, { property, mappings }): RoomList => {
      const rooms = property ? catalogRooms(property, mappings).map(listedRoom) : []
      return { schema_version: SCHEMA_VERSION, property_id: connectionId, rooms }
    })
  }

  @Get('rate-plans')
  ratePlans(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.list(request, reply, 'rate-plans', (connectionId, { property, mappings }): RatePlanList => {
      const rate_plans = property ? catalogRatePlans(property, mappings).map(listedRatePlan) : []
      return { schema_version: SCHEMA_VERSION, property_id: connectionId, rate_plans }
    })
  }

  private async list(
    request: FastifyRequest,
    reply: FastifyReply,
    noun: string,
    answerOf: (connectionId: string, state: MappingState) => object,
  ): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, readConnectionId(queryOf(request.url)))
    const state = await this.mappings.state(this.database, connectionId)
    const tag = `"${noun}-${state.catalogVersion}"`
    void reply.headers(headersOf(tag, state.catalogVersion))
    if (matchesTag(request.headers['if-none-match'], tag)) return void reply.status(304).send()
    void reply.send(answerOf(connectionId, state))
  }
}
