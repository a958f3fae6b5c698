import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { maxBodyBytesOf } from '@connectivity/contracts/partner-api'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { checkAnnouncedSize, dropBody, isUnread } from '../../http/raw-body.service.js'
import { closeAfterAnswer } from '../../http/lingering-close.js'
import { RequestLimits } from '../../admission/limits/request-limits.service.js'
import { OAuthClients } from '../../admission/oauth/oauth-clients.service.js'
import { DOCS_PATH } from '../../http/documentation-path.js'

/** Admits readers of the pages: their browser asks for an OAuth client's id and secret (HTTP basic). */
@Injectable()
export class DocumentationAdmission {
  constructor(
    private readonly clients: OAuthClients,
    private readonly limits: RequestLimits,
  ) {}

  /** @throws ServiceError 401 `invalid_client`, 405, 413, 429, 503 */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.record.route = DOCS_PATH
    checkAnnouncedSize(request.raw, maxBodyBytesOf(undefined))
    // Pages take no body: discard what the client sends.
    if (isUnread(request.raw)) closeAfterAnswer(request.raw, reply.raw)
    dropBody(request.raw)
    const { credential } = await this.clients.recognise(request, reply, () => ({}))
    const { credentialId, limits } = credential
    await this.limits.count(request, reply, 'reads', credentialId, limits.reads)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw onlyRead(request.method)
  }
}

const onlyRead = (method: string): ServiceError =>
  new ServiceError('method_not_allowed', `Pages are read only; they do not take ${method}.`, {
    headers: { allow: 'GET, HEAD' },
  })
