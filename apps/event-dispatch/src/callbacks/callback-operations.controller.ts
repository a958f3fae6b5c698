import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common'
import { callbackStates } from '@connectivity/contracts/callbacks'
import { type ConnectionFactsAnswer, OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database'
import { sendAnswer } from '@connectivity/mutations'
import { isId } from '@connectivity/service-kit/text'
import {
  notFound,
  pageOf,
  readConnectionIds,
  readFilters,
  readPage,
  readSwitch,
  withSchemaVersion,
} from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { presentToOperators } from './callback.view.js'
import { CallbackHealthStore } from './callback-health.store.js'
import { CallbackSuspension } from './callback-suspension.service.js'

/** Callbacks on /ops/v1: operators view, suspend and resume them. */
@Controller(OPERATORS_PATH)
export class CallbackOperationsController {
  constructor(
    private readonly database: Database,
    private readonly health: CallbackHealthStore,
    private readonly suspension: CallbackSuspension,
  ) {}

  /** @param ids separated by commas; unknown ids are skipped; without it, connections whose callback fails */
  @Get('connection-facts')
  async facts(@Query('connection_ids') ids?: string): Promise<ConnectionFactsAnswer & { schema_version: string }> {
    const asked = ids === undefined ? await this.health.failing() : readConnectionIds(ids)
    return { schema_version: SCHEMA_VERSION, facts: await this.health.facts(asked) }
  }

  @Get('callbacks')
  async list(@Req() request: FastifyRequest): Promise<object> {
    const { state } = readFilters(request, 'state')
    const filter = { state: checkWord(state, 'state', callbackStates), isFailing: readSwitch(request, 'failing') }
    const page = readPage(request, 'callbacks', filter)
    const rows = await this.health.list(filter, page)
    return pageOf('callbacks', rows, page, ({ connection_id }) => connection_id, presentToOperators)
  }

  @Get('callbacks/:connectionId')
  async read(@Param('connectionId') connectionId: string): Promise<object> {
    const found = isId(connectionId) ? await this.health.find(this.database, connectionId) : null
    if (!found) throw notFound('callback')
    return withSchemaVersion(presentToOperators(found))
  }

  @Post('callbacks/:connectionId/suspend')
  async suspend(
    @Param('connectionId') connectionId: string,
    @Body() { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.suspension.suspend(request, connectionId, reason))
  }

  @Post('callbacks/:connectionId/resume')
  async resume(
    @Param('connectionId') connectionId: string,
    @Body() { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.suspension.resume(request, connectionId, reason))
  }
}
