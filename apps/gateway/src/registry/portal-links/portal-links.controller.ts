import { Body, Controller, Get, Param, Post, Req, Res } from '@nestjs/common'
import { IssuePortalLink, OperatorChange, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { notFound, pageOf, readPage } from '@connectivity/service-kit/operators'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ApplicationStore } from '../applications/application.store.js'
import { OperatorChanges } from '../changes/operator-changes.service.js'
import { IssuePortalLinkService } from './issue-portal-link.service.js'
import { PortalLinkStore } from './portal-link.store.js'
import { presentPortalLink } from './portal-link.view.js'
import { RevokePortalLinkService } from './revoke-portal-link.service.js'

/** Operators let people of a partner into the portal. */
@Controller(OPERATORS_PATH)
export class PortalLinksController {
  constructor(
    private readonly changes: OperatorChanges,
    private readonly issuing: IssuePortalLinkService,
    private readonly revocation: RevokePortalLinkService,
    private readonly applications: ApplicationStore,
    private readonly links: PortalLinkStore,
  ) {}

  @Post('applications/:id/portal-links')
  issue(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() body: IssuePortalLink,
  ): Promise<void> {
    const requested = { action: 'portal_link.issue', reason: body.reason } as const
    return this.changes.answer(request, reply, requested, (change) => this.issuing.issue(change, id, body), 201)
  }

  @Get('applications/:id/portal-links')
  async list(@Req() request: FastifyRequest, @Param('id') id: string): Promise<object> {
    const page = readPage(request, `applications/${id}/portal-links`)
    if (!(await this.applications.find(id))) throw notFound('application')
    const rows = await this.links.list(id, page)
    return pageOf('portal_links', rows, page, ({ portalLinkId }) => portalLinkId, presentPortalLink)
  }

  @Post('portal-links/:id/revoke')
  revoke(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('id') id: string,
    @Body() { reason }: OperatorChange,
  ): Promise<void> {
    return this.changes.answer(request, reply, { action: 'portal_link.revoke', reason }, (change) =>
      this.revocation.revoke(change, id),
    )
  }
}
