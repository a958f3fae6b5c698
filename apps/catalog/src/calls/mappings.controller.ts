import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common'
import { completeMapping, EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import { MappingsWrite } from '@connectivity/contracts/mappings'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { Database } from '@connectivity/database'
import { answerOnce, idempotentMutation, sendAnswer } from '@connectivity/mutations'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { matchesTag } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ConnectionArrival } from '../intake/connection-arrival.service.js'
import { answerOf, headersOf, tagOf } from '../mappings/mapping-answer.js'
import { mappingList } from '../mappings/mapping-list.view.js'
import { MappingStore } from '../mappings/mapping.store.js'
import { MappingWriter, writeForbidden } from './mapping-writer.service.js'

/** GET and POST /properties/{id}/mappings. */
@Controller(`${BASE_PATH}/properties`)
export class MappingsController {
  constructor(
    private readonly database: Database,
    private readonly mappings: MappingStore,
    private readonly writer: MappingWriter,
    private readonly arrival: ConnectionArrival,
  ) {}

  @Get(':connectionId/mappings')
  async read(
    @Param('connectionId') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { external_property_id } = addressedConnection(request, connectionId)
    const state = await this.mappings.state(this.database, connectionId)
    const tag = tagOf(state.mappingVersion)
    void reply.headers(headersOf(tag, state.catalogVersion))
    if (matchesTag(request.headers['if-none-match'], tag)) return void reply.status(304).send()
    const list = mappingList({ connectionId, externalPropertyId: external_property_id, ...state })
    const isComplete = state.property !== null && list.unmapped.length === 0
    if (isComplete) void reply.header(EVIDENCE_HEADER, completeMapping(state.mappingVersion))
    void reply.send(list)
  }

  @Post(':connectionId/mappings')
  async write(
    @Param('connectionId') connectionId: string,
    @Body() body: MappingsWrite,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { state } = addressedConnection(request, connectionId)
    await this.arrival.of(connectionId)
    const answer = await answerOnce(this.database, idempotentMutation(request), async (tx) => {
      // The gateway may know the connection before the catalog does.
      if (state === 'production') throw writeForbidden()
      const { answer, catalogVersion } = await this.writer.write(tx, connectionId, 'partner', body)
      return answerOf(answer, catalogVersion)
    })
    sendAnswer(reply, answer)
  }
}
