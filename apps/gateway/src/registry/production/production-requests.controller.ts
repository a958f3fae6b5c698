import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common'
import { OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { productionRequestStates } from '@connectivity/contracts/production'
import { checkWord } from '@connectivity/contracts/query-parameters'
import { Database } from '@connectivity/database'
import { isId } from '@connectivity/service-kit/text'
import { notFound, pageOf, readFilters, readPage, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OperatorChanges } from '../changes/operator-changes.service.js'
import { type Decision, DecideProductionRequestService } from './decide-production-request.service.js'
import { EvidenceStore } from './evidence.store.js'
import { ProductionRequestStore } from './production-request.store.js'
import { presentRequest, presentReviewed } from './production-request.view.js'

/** Operators decide production requests. */
@Controller(`${OPERATORS_PATH}/production-requests`)
export class ProductionRequestsController {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly decisions: DecideProductionRequestService,
    private readonly requests: ProductionRequestStore,
    private readonly evidence: EvidenceStore,
    private readonly database: Database,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const filter = filterOf(request)
    const page = readPage(request, 'production-requests', filter)
    const rows = await this.requests.list(filter, page)
    const ids = rows.map(({ connectionId }) => connectionId)
    const evidence = await this.evidence.ofAll(this.database, ids)
    return pageOf(
      'production_requests',
      rows,
      page,
      ({ requestId }) => requestId,
      (row) => presentReviewed(row, evidence.get(row.connectionId)!),
    )
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<object> {
    const found = isId(id) ? await this.requests.find(id) : null
    if (!found) throw notFound('production request')
    return withSchemaVersion(presentReviewed(found, await this.evidence.of(this.database, found.connectionId)))
  }

  @Post(':id/approve')
  approve(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() body: OperatorChange,
  ): Promise<void> {
    return this.decide(request, reply, id, 'approve', body)
  }

  @Post(':id/reject')
  reject(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() body: OperatorChange,
  ): Promise<void> {
    return this.decide(request, reply, id, 'reject', body)
  }

  private decide(
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
    decision: Decision,
    { reason }: OperatorChange,
  ): Promise<void> {
    const requested = { action: `production_request.${decision}`, reason } as const
    return this.changes.answer(request, reply, requested, async (change) =>
      presentRequest(await this.decisions.decide(change, id, decision)),
    )
  }
}

function filterOf(request: FastifyRequest) {
  const { property_id: connectionId, state: text } = readFilters(request, 'property_id', 'state')
  const state = checkWord(text, 'state', productionRequestStates)
  return {
    ...(connectionId === undefined ? {} : { connectionId }),
    ...(state === null ? {} : { state }),
  }
}
