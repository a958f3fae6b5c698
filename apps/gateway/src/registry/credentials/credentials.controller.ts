import { Body, Controller, Get, HttpCode, Param, Post, Req, UseInterceptors } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import {
  IssueCredential,
  OperatorChange,
  OPERATORS_PATH,
  RotateCredential,
} from '@connectivity/contracts/operators-api'
import { parseTimestamp } from '@connectivity/contracts/time'
import { pageOf, readPage } from '@connectivity/service-kit/operators-page'
import { withSchemaVersion } from '@connectivity/service-kit/operators-record'
import type { FastifyRequest } from 'fastify'
import { auditContextOf } from '../changes/audit-context.js'
import { IdempotentChanges } from '../changes/idempotent-changes.interceptor.js'
import { CredentialStore } from './credential.store.js'
import { DEFAULT_OVERLAP } from './secret-rotation.js'

/** Operators issue, rotate and revoke credentials: operations.md §1. */
@UseInterceptors(IdempotentChanges)
@Controller(OPERATORS_PATH)
export class CredentialsController {
  constructor(private readonly credentials: CredentialStore) {}

  @Post('connections/:id/credentials')
  async issue(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: IssueCredential): Promise<object> {
    checkIssuable(body)
    return withSchemaVersion(await this.credentials.issue(auditContextOf(request, 'credential.issue', body), id, body))
  }

  @Post('credentials/:id/rotate')
  @HttpCode(200)
  async rotate(
    @Req() request: FastifyRequest,
    @Param('id') id: string,
    @Body() body: RotateCredential,
  ): Promise<object> {
    const overlap = body.overlap_seconds ?? DEFAULT_OVERLAP
    return withSchemaVersion(
      await this.credentials.rotate(auditContextOf(request, 'credential.rotate', body), id, overlap),
    )
  }

  @Get('connections/:id/credentials')
  async list(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const page = readPage(request)
    const rows = await this.credentials.list(id, page)
    const shown = new Map((await this.credentials.withLastUse(rows)).map((record, index) => [rows[index]!, record]))
    return pageOf(
      'credentials',
      rows,
      page,
      ({ credentialId }) => credentialId,
      (row) => shown.get(row)!,
    )
  }

  @Post('credentials/:id/revoke')
  @HttpCode(200)
  async revoke(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: OperatorChange): Promise<object> {
    return withSchemaVersion(await this.credentials.revoke(auditContextOf(request, 'credential.revoke', body), id))
  }
}

function checkIssuable({ expires_at }: IssueCredential): void {
  if (expires_at === undefined || parseTimestamp(expires_at)! > Date.now()) return
  const message = 'expires_at must lie in the future.'
  throw new ServiceError('invalid_request', message, {
    details: [{ pointer: '/expires_at', code: 'in_past', message }],
  })
}
