import { Body, Controller, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common'
import { type ConnectionState, connectionStates } from '@connectivity/contracts/connection-events'
import { invalidParameter } from '@connectivity/contracts/errors'
import { CreateConnection, MoveConnection, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pageOf, readFilters, readPage } from '@connectivity/service-kit/operators-page'
import { withSchemaVersion } from '@connectivity/service-kit/operators-record'
import type { FastifyRequest } from 'fastify'
import { auditContextOf } from '../changes/audit-context.js'
import { IdempotentChanges } from '../changes/idempotent-changes.interceptor.js'
import { ConnectionStore } from './connection.store.js'
import { presentConnection } from './connection.view.js'

/** Operators assign properties to applications and move the connections: operations.md §1. */
@UseInterceptors(IdempotentChanges)
@Controller(`${OPERATORS_PATH}/connections`)
export class ConnectionsController {
  constructor(private readonly connections: ConnectionStore) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: CreateConnection): Promise<object> {
    const context = auditContextOf(request, 'connection.create', body)
    return withSchemaVersion(presentConnection(await this.connections.create(context, body)))
  }

  @Post(':id/transitions')
  @HttpCode(200)
  async transition(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: MoveConnection,
  ): Promise<object> {
    const context = auditContextOf(request, 'connection.transition', body)
    return withSchemaVersion(presentConnection(await this.connections.transition(context, id, body)))
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    const rows = await this.connections.list(filterOf(request), page)
    return pageOf('connections', rows, page, ({ connection }) => connection.connectionId, presentConnection)
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<object> {
    return withSchemaVersion(presentConnection(await this.connections.find(id)))
  }
}

function filterOf(request: FastifyRequest) {
  const given = readFilters(request, 'application_id', 'state', 'source_property_id')
  const state = given.state as ConnectionState | undefined
  if (state !== undefined && !connectionStates.includes(state)) {
    throw invalidParameter('state', 'invalid_value', `state must be one of ${connectionStates.join(', ')}.`)
  }
  return {
    ...(given.application_id === undefined ? {} : { applicationId: given.application_id }),
    ...(given.source_property_id === undefined ? {} : { sourcePropertyId: given.source_property_id }),
    ...(state === undefined ? {} : { state }),
  }
}
