import { Body, Controller, Post, Req, Res } from '@nestjs/common'
import { type AcknowledgementsAnswer, AcknowledgementsWrite } from '@connectivity/contracts/event-index'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database, type Transaction } from '@connectivity/database'
import { answerOnce, idempotentMutation, sendAnswer } from '@connectivity/mutations'
import { addressedConnection, partnerOf } from '@connectivity/service-kit/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { judgeAcknowledgements } from './acknowledgement.js'
import { AcknowledgementStore } from './acknowledgement.store.js'

/** POST /reservations/ack. */
@Controller(`${BASE_PATH}/reservations/ack`)
export class AcknowledgementsController {
  constructor(
    private readonly database: Database,
    private readonly store: AcknowledgementStore,
  ) {}

  @Post()
  async acknowledge(
    @Body() body: AcknowledgementsWrite,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { property_id: connectionId } = addressedConnection(request, body.property_id)
    const answer = await answerOnce(this.database, idempotentMutation(request), async (tx) => {
      const answered = await this.take(tx, connectionId, body, partnerOf(request).correlation_id)
      return { status: 200, headers: {}, body: JSON.stringify(answered) }
    })
    sendAnswer(reply, answer)
  }

  private async take(
    tx: Transaction,
    connectionId: string,
    { acknowledgements }: AcknowledgementsWrite,
    correlationId: string,
  ): Promise<AcknowledgementsAnswer> {
    const before = await this.store.lock(tx, connectionId)
    const ids = acknowledgements.map(({ event_id }) => event_id)
    const { results, kept } = judgeAcknowledgements(acknowledgements, await this.store.find(tx, connectionId, ids))
    const unacknowledged = kept.length === 0 ? before : await this.store.keep(tx, connectionId, kept, correlationId)
    return { schema_version: SCHEMA_VERSION, property_id: connectionId, results, unacknowledged }
  }
}
