import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type { FastifyInstance } from 'fastify'
import { PageLimits } from '../../admission/limits/page-limits.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import { closeAfterAnswer } from '../../http/connections/lingering-close.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { PORTAL_PATH } from '../../http/pages/page-paths.js'
import { dropBody } from '../../http/requests/held-body.js'
import { isUnread } from '../../http/requests/received-body.js'
import { leaveBodiesToAdmission } from '../../http/requests/leave-bodies.js'
import { WebApplication } from '../../http/pages/web-application.js'

/** Serves the portal's files without authentication: they hold no data, and read it from the partner interface. */
@Injectable()
export class PortalPages implements OnModuleInit {
  private readonly portal: WebApplication

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly pages: PageLimits,
    @Inject(GATEWAY_CONFIG) { PORTAL }: Pick<GatewayConfig, 'PORTAL'>,
  ) {
    this.portal = new WebApplication(PORTAL, PORTAL_PATH)
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      for (const path of [PORTAL_PATH, `${PORTAL_PATH}/*`]) {
        routes.all(path, (request, reply) => this.portal.send(request, reply))
      }
    })
  }

  /**
   * Takes a request for a page or file; a body is discarded.
   * @throws ServiceError 429 `rate_limited`
   */
  admit(partner: PartnerRequest): void {
    const { http, reply } = partner
    http.record.route = PORTAL_PATH
    this.pages.count(partner)
    if (isUnread(http.raw)) closeAfterAnswer(http.raw, reply.raw)
    dropBody(partner)
  }
}
