import { Body, Controller, Delete, Get, Param, Post, Put, Req, Res } from '@nestjs/common'
import {
  type CallbackAnswer,
  CallbackDiagnosis,
  CallbackWrite,
  NoFields,
  RotateCallbackSecret,
} from '@connectivity/contracts/callbacks'
import { checkHeaderTexts } from '@connectivity/contracts/mutation-rules'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { Database, type Transaction } from '@connectivity/database'
import { type Answer, answerOnce, idempotentMutation, PreparedMutations, sendAnswer } from '@connectivity/mutations'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { answerSeal, SecretVault } from '@connectivity/vault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { noCallback } from '../not-found.js'
import { choiceOf } from './callback.js'
import { presentCallback } from './callback.view.js'
import { CallbackChanges } from './callback-changes.service.js'
import { CallbackRegistration } from './callback-registration.service.js'
import { CallbackHealthStore } from './callback-health.store.js'
import { DiagnoseCallbackService } from './diagnose-callback.service.js'

const answerWith = (status: number, shown: object | null): Answer => ({
  status,
  headers: {},
  body: shown === null ? '' : JSON.stringify(shown),
})

/** /properties/{id}/callback and the paths below it. */
@Controller(`${BASE_PATH}/properties/:connectionId/callback`)
export class CallbacksController {
  constructor(
    private readonly database: Database,
    private readonly prepared: PreparedMutations,
    private readonly vault: SecretVault,
    private readonly registration: CallbackRegistration,
    private readonly changes: CallbackChanges,
    private readonly diagnoses: DiagnoseCallbackService,
    private readonly health: CallbackHealthStore,
  ) {}

  @Put()
  async put(
    @Param('connectionId') connectionId: string,
    @Body() body: CallbackWrite,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    addressedConnection(request, connectionId)
    const choice = choiceOf(body)
    this.registration.check(choice)
    const mutation = idempotentMutation(request)
    const answer = await this.prepared.answerOnce(
      mutation,
      () => this.registration.challenge(connectionId, choice),
      async (tx, key) => {
        const { callback, secret } = await this.registration.store(tx, connectionId, choice, key)
        const counts = await this.health.counts(tx, connectionId)
        return answerWith(secret === undefined ? 200 : 201, presentCallback(callback, { counts, secret }))
      },
      answerSeal(this.vault, mutation),
    )
    sendAnswer(reply, answer)
  }

  @Get()
  async read(@Param('connectionId') connectionId: string, @Req() request: FastifyRequest): Promise<CallbackAnswer> {
    addressedConnection(request, connectionId)
    const callback = await this.changes.find(connectionId)
    return presentCallback(callback, { counts: await this.health.counts(this.database, connectionId) })
  }

  @Delete()
  remove(
    @Param('connectionId') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.mutate(connectionId, request, reply, async (tx) => {
      await this.changes.remove(tx, connectionId)
      return answerWith(204, null)
    })
  }

  @Post('test')
  async test(
    @Param('connectionId') connectionId: string,
    @Body() _body: NoFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    addressedConnection(request, connectionId)
    const answer = await this.prepared.answerOnce(
      idempotentMutation(request),
      () => this.changes.test(connectionId),
      async (_tx, shown) => {
        if (!shown) throw noCallback()
        return answerWith(200, shown)
      },
    )
    sendAnswer(reply, answer)
  }

  @Post('diagnose')
  diagnose(
    @Param('connectionId') connectionId: string,
    @Body() body: CallbackDiagnosis,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    checkHeaderTexts(body)
    return this.mutate(connectionId, request, reply, async (tx) =>
      answerWith(200, await this.diagnoses.diagnose(tx, connectionId, body)),
    )
  }

  @Post('rotate-secret')
  rotate(
    @Param('connectionId') connectionId: string,
    @Body() { overlap_seconds }: RotateCallbackSecret,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.mutate(connectionId, request, reply, async (tx) => {
      const { callback, secret } = await this.changes.rotate(tx, connectionId, overlap_seconds)
      return answerWith(200, presentCallback(callback, { secret }))
    })
  }

  @Post('resume')
  resume(
    @Param('connectionId') connectionId: string,
    @Body() _body: NoFields,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    return this.mutate(connectionId, request, reply, async (tx) =>
      answerWith(200, presentCallback(await this.changes.resume(tx, connectionId))),
    )
  }

  /** Stored answers are sealed, because some reveal a secret or bytes of an event. */
  private async mutate(
    connectionId: string,
    request: FastifyRequest,
    reply: FastifyReply,
    work: (tx: Transaction) => Promise<Answer>,
  ): Promise<void> {
    addressedConnection(request, connectionId)
    const mutation = idempotentMutation(request)
    const seal = answerSeal(this.vault, mutation)
    sendAnswer(reply, await answerOnce(this.database, mutation, work, seal))
  }
}
