import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common'
import { connectionStates } from '@connectivity/contracts/connection-events'
import { CreateConnection, MoveConnection, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { notFound, pageOf, readFilters, readPage, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Change, OperatorChanges } from '../changes/operator-changes.service.js'
import { type ConnectionFilter, ConnectionStore } from './connection.store.js'
import { ConnectionWarnings } from './connection-warnings.service.js'
import { CreateConnectionService } from './create-connection.service.js'
import { MoveConnectionService } from './move-connection.service.js'

/** Operators assign properties to applications and move the connections. */
@Controller(`${OPERATORS_PATH}/connections`)
export class ConnectionsController {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly creation: CreateConnectionService,
    private readonly moves: MoveConnectionService,
    private readonly connections: ConnectionStore,
    private readonly warnings: ConnectionWarnings,
  ) {}

  @Post()
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: CreateConnection): Promise<void> {
    const requested = { action: 'connection.create', reason: body.reason } as const
    const work = async (change: Change) => this.warnings.present(await this.creation.create(change, body), change.tx)
    return this.changes.answer(request, reply, requested, work, 201)
  }

  @Post(':id/transitions')
  transition(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() body: MoveConnection,
  ): Promise<void> {
    const requested = { action: 'connection.transition', reason: body.reason } as const
    return this.changes.answer(request, reply, requested, async (change) =>
      this.warnings.present(await this.moves.move(change, id, body), change.tx),
    )
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = filterOf(request)
    const page = readPage(request, 'connections', filter)
    const rows = await this.connections.list(filter, page)
    const shown = await this.warnings.presentAll(rows)
    return pageOf(
      'connections',
      rows.map((connection, index) => ({ connection, shown: shown[index]! })),
      page,
      ({ connection }) => connection.connectionId,
      ({ shown }) => shown,
    )
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<object> {
    const connection = await this.connections.find(id)
    if (!connection) throw notFound('connection')
    return withSchemaVersion(await this.warnings.present(connection))
  }
}

function filterOf(request: FastifyRequest): ConnectionFilter {
  const names = ['application_id', 'state', 'source_property_id', 'external_property_id', 'key_id'] as const
  const given = readFilters(request, ...names)
  const state = checkWord(given.state, 'state', connectionStates)
  return {
    ...(given.application_id === undefined ? {} : { applicationId: given.application_id }),
    ...(given.source_property_id === undefined ? {} : { sourcePropertyId: given.source_property_id }),
    ...(given.external_property_id === undefined ? {} : { externalPropertyId: given.external_property_id }),
    ...(given.key_id === undefined ? {} : { keyId: given.key_id }),
    ...(state === null ? {} : { state }),
  }
}
