import { Body, Controller, Get, HttpCode, Inject, Injectable, Param, Post, Req, Res, type Type } from '@nestjs/common'
import { CountDeadLetters, type DeadLetterCounts, deadLettersPath } from '@connectivity/contracts/dead-letters'
import { OperatorChange } from '@connectivity/contracts/operators-api'
import { sendAnswer } from '@connectivity/mutations'
import { BodyPipe } from '@connectivity/service-kit/http'
import { pageOf, readPage, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DeadLetterReplay } from './dead-letter-replay.service.js'
import { deadLetterFilter } from './dead-letter-filter.js'
import { DeadLetterStore, type StoredDeadLetter } from './dead-letter.store.js'
import { presentDeadLetter } from './dead-letter.view.js'
import { KAFKA_OPTIONS, type KafkaOptions } from '../broker/kafka-client.js'

/** Operators' calls for the dead letters of one service. */
@Injectable()
class DeadLettersController {
  constructor(
    private readonly letters: DeadLetterStore,
    private readonly replays: DeadLetterReplay,
    @Inject(KAFKA_OPTIONS) private readonly options: KafkaOptions,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = deadLetterFilter(request)
    const page = readPage(request, 'dead-letters', filter)
    const rows = await this.letters.list(filter, page)
    const present = (letter: StoredDeadLetter) => presentDeadLetter(this.options.service, letter)
    return pageOf('dead_letters', rows, page, ({ id }) => id, present)
  }

  @Get(':id')
  async find(@Param('id') id: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { letter, auditEntry } = await this.replays.read(request, id)
    const body = JSON.stringify(withSchemaVersion(letter))
    sendAnswer(reply, { status: 200, headers: {}, body, replayed: false, auditEntry })
  }

  @Post(':id/replay')
  async replay(
    @Param('id') id: string,
    @Body(BodyPipe) { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.replays.replay(request, id, reason))
  }

  @Post(':id/discard')
  async discard(
    @Param('id') id: string,
    @Body(BodyPipe) { reason }: OperatorChange,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    sendAnswer(reply, await this.replays.discard(request, id, reason))
  }

  @Post('counts')
  @HttpCode(200)
  async counts(@Body(BodyPipe) { keys }: CountDeadLetters): Promise<DeadLetterCounts & object> {
    const counts = keys ? await this.letters.openByKey(keys) : await this.letters.openKeys()
    return withSchemaVersion({ counts: [...counts].map(([key, open]) => ({ key, open })) }) as DeadLetterCounts
  }
}

/**
 * Controller under the path of one service, so that the gateway serves its own dead letters beside those of the others.
 */
export function deadLettersControllerFor(service: string): Type {
  const OfService = class extends DeadLettersController {}
  Controller(deadLettersPath(service))(OfService)
  return OfService
}
