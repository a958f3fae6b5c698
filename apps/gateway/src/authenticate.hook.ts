import { HttpStatus, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DocumentationAdmission } from './partner/documentation/documentation-admission.service.js'
import { DOCS_PATH, isBareAddress, isDocumentation, isPortal, isSessionPath } from './http/pages/page-paths.js'
import { PortalPages } from './partner/portal/portal-pages.routes.js'
import { closeAfterAnswer } from './http/connections/lingering-close.js'
import { isPrivate } from './http/listeners/listeners.js'
import { OperatorAccess } from './operators/operator-access.service.js'
import { Admission } from './admission/admission.service.js'
import { PageLimits } from './admission/limits/page-limits.service.js'
import { checkAnnouncedSize } from './http/requests/body-refusals.js'
import { dropBody, holdBody } from './http/requests/held-body.js'
import { isUnread } from './http/requests/received-body.js'
import { type PartnerRequest, resolvePartnerRequest } from './http/requests/partner-request.js'
import { RequestLog } from './request-log/request-log.service.js'
import { checkRequestLine } from './http/requests/request-line.js'

type Pages = PortalPages | DocumentationAdmission

/** The first hook of every request, on both listeners. */
@Injectable()
export class AuthenticateHook implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: Admission,
    private readonly documentation: DocumentationAdmission,
    private readonly portal: PortalPages,
    private readonly pages: PageLimits,
    private readonly operators: OperatorAccess,
    private readonly requestLog: RequestLog,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorateRequest('partner')
    fastify.decorateRequest('caller', null)
    fastify.addHook('onRequest', (request, reply) => this.receive(request, reply))
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | void> {
    reply.header(CORRELATION_HEADER, request.id).header('cache-control', 'private, no-store')
    this.checkLine(request, reply)
    if (isPrivate(request.raw)) return this.operators.admit(request)
    const partner = resolvePartnerRequest(request, reply)
    request.partner = partner
    holdBody(partner)
    if (isBareAddress(partner) && !isUnread(request.raw)) {
      this.pages.count(partner)
      return reply.redirect(DOCS_PATH, HttpStatus.SEE_OTHER)
    }
    try {
      const pages = this.pagesFor(partner)
      if (pages) return await this.admitToPage(partner, pages)
      this.requestLog.follow(partner)
      request.partner = await this.admission.admit(partner)
    } catch (error) {
      if (isUnread(request.raw)) closeAfterAnswer(request.raw, reply.raw)
      throw dropBody(partner) ?? error
    }
  }

  /** Pages are not kept in the request log, only failed sign-ins to the documentation. */
  private admitToPage(partner: PartnerRequest, pages: Pages): Promise<void> | void {
    if (isSessionPath(partner.target)) this.requestLog.followSignIn(partner)
    return pages.admit(partner)
  }

  /** The rules of a page; calls of the partner interface have none. */
  private pagesFor({ route, target }: PartnerRequest): Pages | null {
    if (route) return null
    if (isPortal(target)) return this.portal
    return isDocumentation(target) ? this.documentation : null
  }

  /**
   * Checks the request line and the announced size; Fastify reads operators' bodies only after their token is checked.
   */
  private checkLine({ raw }: FastifyRequest, reply: FastifyReply): void {
    try {
      checkRequestLine(raw)
      if (isPrivate(raw)) checkAnnouncedSize(raw, MAX_BODY_BYTES)
    } catch (error) {
      closeAfterAnswer(raw, reply.raw)
      throw error
    }
  }
}
