import { Body, Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common'
import { type ErrorDetail, ServiceError } from '@connectivity/contracts/errors'
import { IssueCredential, OperatorChange } from '@connectivity/contracts/operators-api'
import { parseTimestamp } from '@connectivity/contracts/time'
import type { FastifyRequest } from 'fastify'
import { actOf } from '../operators/act.js'
import { answer, pageOf, readPage } from '../operators/page.js'
import { presentCredential } from './credential.entity.js'
import { CredentialStore } from './credential.store.js'

/** Operators issue and revoke credentials: operations.md §1. */
@Controller('ops/v1')
export class CredentialsController {
  constructor(private readonly credentials: CredentialStore) {}

  @Post('connections/:id/credentials')
  async issue(@Req() request: FastifyRequest, @Param('id') id: string, @Body() body: IssueCredential): Promise<object> {
    checkIssuable(body)
    const { credential, secret } = await this.credentials.issue(actOf(request, 'credential.issue', body), id, body)
    return answer({ ...presentCredential(credential, null), signing_secret: secret })
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
    return answer(await this.credentials.revoke(actOf(request, 'credential.revoke', body), id))
  }
}

function checkIssuable({ type, expires_at }: IssueCredential): void {
  const faults: ErrorDetail[] = []
  if (type === 'oauth') {
    faults.push({ pointer: '/type', code: 'not_available', message: 'Only signing credentials can be issued.' })
  }
  if (expires_at !== undefined && parseTimestamp(expires_at)! <= Date.now()) {
    faults.push({ pointer: '/expires_at', code: 'in_past', message: 'expires_at must lie in the future.' })
  }
  if (faults.length > 0) throw new ServiceError('invalid_request', faults[0]!.message, { details: faults })
}
