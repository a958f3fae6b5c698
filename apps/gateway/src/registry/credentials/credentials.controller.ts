import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common'
import {
  IssueCredential,
  OperatorChange,
  OPERATORS_PATH,
  RotateCredential,
} from '@connectivity/contracts/operators-api'
import { notFound, pageOf, readPage } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { OperatorChanges } from '../changes/operator-changes.service.js'
import { ConnectionStore } from '../connections/connection.store.js'
import { CredentialStore } from './credential.store.js'
import { presentCredential } from './credential.view.js'
import { IssueCredentialService } from './issue-credential.service.js'
import { RevokeCredentialService } from './revoke-credential.service.js'
import { RotateCredentialService } from './rotate-credential.service.js'
import { DEFAULT_OVERLAP } from './secret-rotation.js'

/** Operators issue, rotate and revoke credentials. */
@Controller(OPERATORS_PATH)
export class CredentialsController {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly issuing: IssueCredentialService,
    private readonly rotation: RotateCredentialService,
    private readonly revocation: RevokeCredentialService,
    private readonly connections: ConnectionStore,
    private readonly credentials: CredentialStore,
  ) {}

  @Post('connections/:id/credentials')
  issue(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() body: IssueCredential,
  ): Promise<void> {
    const requested = { action: 'credential.issue', reason: body.reason } as const
    return this.changes.answer(request, reply, requested, (change) => this.issuing.issue(change, id, body), 201)
  }

  @Post('credentials/:id/rotate')
  rotate(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason, overlap_seconds = DEFAULT_OVERLAP }: RotateCredential,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'credential.rotate', reason }, (change) =>
      this.rotation.rotate(change, id, overlap_seconds),
    )
  }

  @Post('credentials/:id/revoke')
  revoke(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason }: OperatorChange,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'credential.revoke', reason }, (change) =>
      this.revocation.revoke(change, id),
    )
  }

  @Get('connections/:id/credentials')
  async list(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const page = readPage(request, `connections/${id}/credentials`)
    if (!(await this.connections.find(id))) throw notFound('connection')
    const rows = await this.credentials.list(id, page)
    const ids = rows.map(({ credentialId }) => credentialId)
    const [lastUses, rotations] = await Promise.all([this.credentials.lastUses(ids), this.credentials.rotations(ids)])
    return pageOf(
      'credentials',
      rows,
      page,
      ({ credentialId }) => credentialId,
      (credential) => {
        const { credentialId: one } = credential
        return presentCredential(credential, lastUses.get(one) ?? null, rotations.get(one))
      },
    )
  }
}
