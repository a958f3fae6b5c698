import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Activity } from '../activity/activity.js'
import type { LiveCredential } from '../credentials/live-credentials.js'
import { FailedAuthentications } from '../limits/failed-authentications.js'
import { RequestLimits } from '../limits/request-limits.js'
import { readClientCredentials } from '../oauth/client-credentials.js'
import { OAuthClients } from '../oauth/oauth-clients.js'
import { DOCS_PATH } from './documentation-path.js'

/** Lets readers of the pages in: a browser asks them for an OAuth client's id and secret (HTTP basic). */
@Injectable()
export class DocumentationDoor {
  constructor(
    private readonly clients: OAuthClients,
    private readonly failures: FailedAuthentications,
    private readonly limits: RequestLimits,
    private readonly activity: Activity,
  ) {}

  /** @throws ServiceError 401 `invalid_client`, 405, 429, 503 */
  async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    request.record.route = DOCS_PATH
    const { credentialId, limits } = await this.authenticated(request)
    await this.limits.count(request, reply, 'reads', credentialId, limits.reads)
    if (request.method !== 'GET' && request.method !== 'HEAD') throw onlyRead(request.method)
  }

  private async authenticated(request: FastifyRequest): Promise<LiveCredential> {
    try {
      const client = await this.clients.authenticate(readClientCredentials(request.raw.rawHeaders, {}))
      const { applicationId, credentialId } = client
      this.activity.used(credentialId)
      Object.assign(request.record.fields, { application_id: applicationId, credential_id: credentialId })
      return client
    } catch (error) {
      throw await this.failures.judge(request, error)
    }
  }
}

const onlyRead = (method: string): ServiceError =>
  new ServiceError('method_not_allowed', `Pages are read only; they do not take ${method}.`, {
    headers: { allow: 'GET, HEAD' },
  })
