import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { checkAnnouncedSize, dropBody, isUnread, maxBodyBytes } from '../../http/raw-body.service.js'
import { closeAfterAnswer } from '../../http/lingering-close.js'
import { RequestLimits } from '../../admission/limits/request-limits.service.js'
import { OAuthClients } from '../../admission/oauth/oauth-clients.service.js'
import { DOCS_PATH, isPublicFile } from '../../http/documentation-path.js'
import type { PartnerRequest } from '../../http/partner-request.js'

/**
 * Admits readers of the pages: their browser asks for an OAuth client's id and secret (HTTP basic). Public files are for
 * anybody.
 */
@Injectable()
export class DocumentationAdmission {
  constructor(
    private readonly clients: OAuthClients,
    private readonly limits: RequestLimits,
  ) {}

  /** @throws ServiceError 401 `invalid_client`, 405, 413, 429, 503 */
  async admit(partner: PartnerRequest): Promise<void> {
    const { http, reply, method } = partner
    http.record.route = DOCS_PATH
    checkAnnouncedSize(http.raw, maxBodyBytes(partner))
    // Pages take no body: discard what the client sends.
    if (isUnread(http.raw)) closeAfterAnswer(http.raw, reply.raw)
    dropBody(partner)
    if (!isPublicFile(partner.target)) await this.countReader(partner)
    if (method !== 'GET' && method !== 'HEAD') throw onlyRead(method)
  }

  private async countReader(partner: PartnerRequest): Promise<void> {
    const { credential } = await this.clients.recognise(partner, () => ({}))
    const { credentialId, limits } = credential
    await this.limits.count(partner, 'reads', credentialId, limits.reads)
  }
}

const onlyRead = (method: string): ServiceError =>
  new ServiceError('method_not_allowed', `Pages are read only; they do not take ${method}.`, {
    headers: { allow: 'GET, HEAD' },
  })
