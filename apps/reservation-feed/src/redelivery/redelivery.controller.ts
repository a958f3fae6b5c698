import { Body, Controller, Param, Post, Req, Res } from '@nestjs/common'
import { OPERATORS_PATH, RedeliverReservations } from '@connectivity/contracts/operators-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { Database } from '@connectivity/database'
import { runOperatorChange, sendAnswer } from '@connectivity/mutations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { selectionOf } from './redelivery-selection.js'
import { Redelivery, type RedeliveryAnswer } from './redelivery.service.js'

/** POST /ops/v1/connections/{id}/redeliver. */
@Controller(`${OPERATORS_PATH}/connections`)
export class RedeliveryController {
  constructor(
    private readonly database: Database,
    private readonly redelivery: Redelivery,
  ) {}

  @Post(':connectionId/redeliver')
  async redeliver(
    @Param('connectionId') connectionId: string,
    @Body() body: RedeliverReservations,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { reason, ...asked } = body
    const answer = await runOperatorChange(this.database, request, async (tx, record) => {
      const accepted = await this.redelivery.accept(tx, connectionId, selectionOf(asked))
      record({
        action: 'connection.redeliver',
        subject: connectionId,
        reason,
        before: null,
        after: { ...asked, ...accepted },
      })
      return { status: 202, headers: {}, body: JSON.stringify({ schema_version: SCHEMA_VERSION, ...accepted }) }
    })
    if (answer.status === 202) await this.redelivery.settle((JSON.parse(answer.body) as RedeliveryAnswer).redelivery_id)
    sendAnswer(reply, answer)
  }
}
