import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common'
import { CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import { AriWrite } from '@connectivity/contracts/ari'
import { readDryRun } from '@connectivity/contracts/mutation-rules'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { queryOf } from '@connectivity/contracts/request-target'
import { idempotentMutation, sendAnswer } from '@connectivity/mutations'
import { addressedConnection, partnerOf } from '@connectivity/service-kit/identity'
import { currentTraceparent } from '@connectivity/service-kit/tracing'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PropertyCatalog } from '../catalogs/property-catalog.js'
import { PropertyCatalogs } from '../catalogs/property-catalogs.service.js'
import { AriCalls } from './ari-calls.service.js'
import { LargeStates } from '../reading/large-states.service.js'
import { ariState } from '../reading/state.view.js'
import { readStateQuery, type StateQuery } from '../reading/parameters.js'
import { type StateRange, StateStore } from '../reading/state.store.js'

/** An id that matches no entity: the booking engine's ids have at least one character. */
const NONE = ''

/** GET and POST /ari. */
@Controller(`${BASE_PATH}/ari`)
export class AriController {
  constructor(
    private readonly catalogs: PropertyCatalogs,
    private readonly calls: AriCalls,
    private readonly states: StateStore,
    private readonly largeStates: LargeStates,
  ) {}

  @Get()
  async read(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = readStateQuery(queryOf(request.url))
    addressedConnection(request, query.connectionId)
    const catalog = await this.catalogs.of(query.connectionId)
    const range = rangeOf(query, catalog)
    const state = await this.states.read(range)
    const answer = state
      ? ariState(query, catalog, state.revision, state.days)
      : await this.largeStates.open(partnerOf(request).application_id, query, catalog, range)
    void reply.type('application/json; charset=utf-8').send(answer)
  }

  @Post()
  async write(@Body() body: AriWrite, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, body.property_id)
    const dryRun = readDryRun(queryOf(request.url))
    const mutation = idempotentMutation(request)
    const catalog = await this.catalogs.of(connectionId, Number(request.headers[CATALOG_VERSION_HEADER] ?? 0))
    const call = { catalog, body, mutation, traceparent: currentTraceparent() }
    sendAnswer(reply, await (dryRun ? this.calls.dryRun(call) : this.calls.apply(call)))
  }
}

function rangeOf(query: StateQuery, { propertyId, rooms, ratePlans }: PropertyCatalog): StateRange {
  const { dateFrom, dateTo, externalRoomId: room, externalRatePlanId: plan } = query
  const roomId = room === null ? null : (rooms.withExternalId(room)?.service_id ?? NONE)
  const ratePlanId = plan === null ? null : (ratePlans.withExternalId(plan)?.service_id ?? NONE)
  return { propertyId, dateFrom, dateTo, roomId, ratePlanId }
}
