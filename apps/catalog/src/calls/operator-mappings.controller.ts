import { Body, Controller, Param, Put, Req, Res } from '@nestjs/common'
import { OperatorMappings, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { Database } from '@connectivity/database'
import { runOperatorChange, sendAnswer } from '@connectivity/mutations'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionArrival } from '../intake/connection-arrival.service.js'
import { answerOf } from '../mappings/mapping-answer.js'
import { MappingWriter } from './mapping-writer.service.js'

/** PUT /ops/v1/connections/{id}/mappings: operators map connections of any environment. */
@Controller(`${OPERATORS_PATH}/connections`)
export class OperatorMappingsController {
  constructor(
    private readonly database: Database,
    private readonly writer: MappingWriter,
    private readonly arrival: ConnectionArrival,
  ) {}

  @Put(':connectionId/mappings')
  async write(
    @Param('connectionId') connectionId: string,
    @Body() body: OperatorMappings,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    await this.arrival.of(connectionId)
    const answer = await runOperatorChange(this.database, request, async (tx, record) => {
      const { answer, catalogVersion, effect } = await this.writer.write(tx, connectionId, 'operator', body)
      const { reason } = body
      if (answer.changed > 0) record({ action: 'connection.mappings', subject: connectionId, reason, ...effect })
      return answerOf(answer, catalogVersion)
    })
    sendAnswer(reply, answer)
  }
}
