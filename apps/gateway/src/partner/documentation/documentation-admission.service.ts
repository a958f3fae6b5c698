import { Injectable } from '@nestjs/common'
import { maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import { AuthenticationOutcomes } from '../../admission/authentication/authentication-outcomes.service.js'
import { DOCS_PATH, isSessionPath } from '../../http/documentation-path.js'
import { closeAfterAnswer } from '../../http/lingering-close.js'
import type { PartnerRequest } from '../../http/partner-request.js'
import { checkAnnouncedSize } from '../../http/body-refusals.js'
import { dropBody } from '../../http/held-body.js'
import { isUnread } from '../../http/received-body.js'
import { RawBodies } from '../../http/raw-body.service.js'
import { methodNotAllowed } from '../../http/request-line.js'
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
