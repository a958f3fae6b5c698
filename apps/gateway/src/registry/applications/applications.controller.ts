import { Body, Controller, Get, Param, Post, Put, Req, Res } from '@nestjs/common'
import { ChangeLimits, CreateApplication, OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { notFound, pageOf, readPage, withSchemaVersion } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Change, OperatorChanges } from '../changes/operator-changes.service.js'
import { ApplicationStore } from './application.store.js'
import { presentApplication } from './application.view.js'
import { ChangeApplicationService } from './change-application.service.js'
import { CreateApplicationService } from './create-application.service.js'

/** Operators admit, approve and suspend applications. */
@Controller(`${OPERATORS_PATH}/applications`)
export class ApplicationsController {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly creation: CreateApplicationService,
    private readonly alteration: ChangeApplicationService,
    private readonly applications: ApplicationStore,
  ) {}

  @Post()
  create(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: CreateApplication): Promise<void> {
    const requested = { action: 'application.create', reason: body.reason } as const
    const work = async (change: Change) => presentApplication(await this.creation.create(change, body))
    return this.changes.answer(request, reply, requested, work, 201)
  }

  @Post(':id/approve')
  approve(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason }: OperatorChange,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'application.approve', reason }, async (change) =>
      presentApplication(await this.alteration.move(change, id, 'approved')),
    )
  }

  @Post(':id/suspend')
  suspend(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason }: OperatorChange,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'application.suspend', reason }, async (change) =>
      presentApplication(await this.alteration.move(change, id, 'suspended')),
    )
  }

  @Put(':id/limits')
  limits(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason, limits }: ChangeLimits,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'application.limits', reason }, async (change) =>
      presentApplication(await this.alteration.changeLimits(change, id, limits)),
    )
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request, 'applications')
    const rows = await this.applications.list(page)
    return pageOf('applications', rows, page, ({ applicationId }) => applicationId, presentApplication)
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<object> {
    const application = await this.applications.find(id)
    if (!application) throw notFound('application')
    return withSchemaVersion(presentApplication(application))
  }
}
