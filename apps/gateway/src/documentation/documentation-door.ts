import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { RequestLimits } from '../limits/request-limits.js'
import { OAuthClients } from '../oauth/oauth-clients.js'
import { DOCS_PATH } from './documentation-path.js'

/** Lets readers of the pages in: a browser asks them for an OAuth client's id and secret (HTTP basic). */
@Injectable()
export class DocumentationDoor {
  constructor(
    private readonly clients: OAuthClients,
    private readonly limits: RequestLimits,
  ) {}

  /** @throws ServiceError 401 `invalid_client`, 405, 429, 503 */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.record.route = DOCS_PATH
    const { credential } = await this.clients.recognise(request, {})
    await this.limits.count(request, reply, 'reads', credential.credentialId, credential.limits.reads)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw onlyRead(request.method)
  }
}

const onlyRead = (method: string): ServiceError =>
  new ServiceError('method_not_allowed', `Pages are read only; they do not take ${method}.`, {
    headers: { allow: 'GET, HEAD' },
  })
