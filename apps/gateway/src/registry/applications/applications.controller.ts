import { Body, Controller, Get, HttpCode, Param, Post, Put, Req, UseInterceptors } from '@nestjs/common'
import { ChangeLimits, CreateApplication, OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pageOf, readPage } from '@connectivity/service-kit/operators-page'
import { withSchemaVersion } from '@connectivity/service-kit/operators-record'
import type { FastifyRequest } from 'fastify'
import { auditContextOf } from '../changes/audit-context.js'
import { IdempotentChanges } from '../changes/idempotent-changes.interceptor.js'
import { presentApplication } from './application.entity.js'
import { ApplicationStore } from './application.store.js'

/** Operators admit, approve and suspend applications: operations.md §1. */
@UseInterceptors(IdempotentChanges)
@Controller(`${OPERATORS_PATH}/applications`)
export class ApplicationsController {
  constructor(private readonly applications: ApplicationStore) {}

  @Post()
  async create(@Req() request: FastifyRequest, @Body() body: CreateApplication): Promise<object> {
    const context = auditContextOf(request, 'application.create', body)
    return withSchemaVersion(presentApplication(await this.applications.create(context, body)))
  }

  @Post(':id/approve')
  @HttpCode(200)
  async approve(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: OperatorChange,
  ): Promise<object> {
    const context = auditContextOf(request, 'application.approve', body)
    return withSchemaVersion(presentApplication(await this.applications.move(context, id, 'approved')))
  }

  @Post(':id/suspend')
  @HttpCode(200)
  async suspend(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: OperatorChange,
  ): Promise<object> {
    const context = auditContextOf(request, 'application.suspend', body)
    return withSchemaVersion(presentApplication(await this.applications.move(context, id, 'suspended')))
  }

  @Put(':id/limits')
  async limits(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: ChangeLimits): Promise<object> {
    const context = auditContextOf(request, 'application.limits', body)
    return withSchemaVersion(presentApplication(await this.applications.changeLimits(context, id, body.limits)))
  }

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request)
    const rows = await this.applications.list(page)
    return pageOf('applications', rows, page, ({ applicationId }) => applicationId, presentApplication)
  }

  @Get(':id')
  async find(@Param('id') id: string): Promise<object> {
    return withSchemaVersion(presentApplication(await this.applications.find(id)))
  }
}
