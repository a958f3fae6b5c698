import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common'
import { type CallbackState, callbackStates } from '@connectivity/contracts/callbacks'
import { invalidParameter, ServiceError } from '@connectivity/contracts/errors'
import { type ConnectionFactsAnswer, OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database/database'
import type { Transaction } from '@connectivity/database/transaction'
import { sendAnswer } from '@connectivity/mutations/idempotent-mutation'
import { operatorChange } from '@connectivity/mutations/operator-change'
import { isId } from '@connectivity/service-kit/ids'
import { pageOf, readFilters, readPage, readSwitch } from '@connectivity/service-kit/operators-page'
import { notFound, withSchemaVersion } from '@connectivity/service-kit/operators-record'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DELIVERIES_DUE } from '../backlog/backlog-signals.js'
import { WaitingDeliveriesStore } from '../backlog/waiting-deliveries.store.js'
import type { Callback } from './callback.js'
import { CallbackStore } from './callback.store.js'
import { presentToOperators } from './callback.view.js'
import { CallbackHealthStore } from './callback-health.store.js'

/** Callbacks on /ops/v1: operators view, suspend and resume them. */
@Controller(OPERATORS_PATH)
export class CallbackOperationsController {
  constructor(
    private readonly database: Database,
    private readonly callbacks: CallbackStore,
    private readonly health: CallbackHealthStore,
    private readonly waiting: WaitingDeliveriesStore,
  ) {}

  /** @param ids separated by commas; unknown ones are left out; absent: those of failing callbacks */
  @Get('connection-facts')
  async facts(@Query('connection_ids') ids?: string): Promise<ConnectionFactsAnswer & { schema_version: string }> {
    const asked = ids === undefined ? await this.health.failing() : ids.split(',').filter(isId)
    return { schema_version: SCHEMA_VERSION, facts: await this.health.facts(asked) }
  }

  @Get('callbacks')
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    const { state } = readFilters(request, 'state')
    const known = callbackStates.find((one) => one === state) ?? null
    if (state !== undefined && known === null) {
      throw invalidParameter('state', 'invalid_value', `state must be one of ${callbackStates.join(', ')}.`)
    }
    const rows = await this.health.list({ state: known, isFailing: readSwitch(request, 'failing') }, page)
    return pageOf('callbacks', rows, page, ({ connection_id }) => connection_id, presentToOperators)
  }

  @Get('callbacks/:connectionId')
  async read(@Param('connectionId') connectionId: string): Promise<object> {
    const found = isId(connectionId) ? await this.health.find(this.database, connectionId) : null
    if (!found) throw notFound('callback')
    return withSchemaVersion(presentToOperators(found))
  }

  @Post('callbacks/:connectionId/suspend')
  suspend(
    @Param('connectionId') connectionId: string,
    @Body() { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.move(connectionId, 'suspended_by_operator', reason, request, reply)
  }

  @Post('callbacks/:connectionId/resume')
  resume(
    @Param('connectionId') connectionId: string,
    @Body() { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.move(connectionId, 'active', reason, request, reply)
  }

  private async move(
    connectionId: string,
    to: CallbackState,
    reason: string,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const moved = await operatorChange(this.database, request, async (tx, record) => {
      const before = await this.movable(tx, connectionId, to)
      await this.callbacks.change(tx, { ...before, state: to })
      if (to === 'active') await this.waiting.release(tx, connectionId)
      // Wakes the process that holds the callback's lease.
      tx.afterCommit(DELIVERIES_DUE)
      const action = to === 'active' ? 'callback.resume' : 'callback.suspend'
      record({ action, subject: connectionId, reason, before: { state: before.state }, after: { state: to } })
      const shown = presentToOperators((await this.health.find(tx, connectionId))!)
      return { status: 200, headers: {}, body: JSON.stringify(withSchemaVersion(shown)) }
    })
    sendAnswer(reply, moved)
  }

  /** @throws ServiceError 404, 409 `invalid_transition` */
  private async movable(tx: Transaction, connectionId: string, to: CallbackState): Promise<Callback> {
    const callback = isId(connectionId) ? await this.callbacks.lock(tx, connectionId) : null
    if (!callback) throw notFound('callback')
    if (callback.state !== to) return callback
    const next = to === 'active' ? 'suspend' : 'resume'
    const message = `The callback is ${to} already; it can be changed with ${next}.`
    throw new ServiceError('invalid_transition', message)
  }
}
