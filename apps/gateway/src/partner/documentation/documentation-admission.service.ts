import { Injectable } from '@nestjs/common'
import { maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import { AuthenticationOutcomes } from '../../admission/authentication/authentication-outcomes.service.js'
import { DOCS_PATH, isSessionPath } from '../../http/pages/page-paths.js'
import { closeAfterAnswer } from '../../http/connections/lingering-close.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { checkAnnouncedSize } from '../../http/requests/body-refusals.js'
import { dropBody } from '../../http/requests/held-body.js'
import { isUnread } from '../../http/requests/received-body.js'
import { RawBodies } from '../../http/requests/raw-body.service.js'
import { methodNotAllowed } from '../../http/requests/request-line.js'
import { refuseOtherSites } from './documentation-sessions.service.js'

/** Sender of every sign-in's body: all share the budget of one credential. */
const READER = { credential: 'documentation', mostKept: Infinity }

/**
 * Admits requests for pages, which take no body, and sign-ins, whose body is read. The page handlers identify their
 * readers.
 */
@Injectable()
export class DocumentationAdmission {
  constructor(
    private readonly outcomes: AuthenticationOutcomes,
    private readonly bodies: RawBodies,
  ) {}

  /** @throws ServiceError 403 `cross_site_request`, 405, 413, 429, 503 */
  async admit(partner: PartnerRequest): Promise<void> {
    const { http, reply, method } = partner
    http.record.route = DOCS_PATH
    checkAnnouncedSize(http.raw, maxBodyBytesOf(partner.operation))
    if (isSessionPath(partner.target)) return this.admitSignIn(partner)
    // Pages take no body: discard what the client sends.
    if (isUnread(http.raw)) closeAfterAnswer(http.raw, reply.raw)
    dropBody(partner)
    if (method !== 'GET' && method !== 'HEAD') throw methodNotAllowed(method, 'GET, HEAD')
  }

  private async admitSignIn(partner: PartnerRequest): Promise<void> {
    if (partner.method !== 'POST') throw methodNotAllowed(partner.method, 'POST')
    refuseOtherSites(partner)
    await this.outcomes.checkAddress(partner)
    await this.bodies.read(partner, READER)
  }
}
