import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { Activity } from '../activity/activity.js'
import type { LiveCredential } from '../credentials/live-credentials.js'
import { FailedAuthentications } from '../limits/failed-authentications.js'

/** Keeps account of who was recognised, and of who was not, whatever they proved themselves with. */
@Injectable()
export class Callers {
  constructor(
    private readonly activity: Activity,
    private readonly failures: FailedAuthentications,
  ) {}

  /**
   * Notes the credential's use, and its names in the request's line.
   * @param authenticate finds out who sends the request
   * @throws what `authenticate` throws, or 429 `rate_limited` when the address has failed too often
   */
  async recognise<T extends { credential: LiveCredential }>(
    request: FastifyRequest,
    authenticate: () => Promise<T>,
  ): Promise<T> {
    try {
      const caller = await authenticate()
      const { applicationId, credentialId } = caller.credential
      this.activity.used(credentialId)
      Object.assign(request.record.fields, { application_id: applicationId, credential_id: credentialId })
      return caller
    } catch (error) {
      throw await this.failures.judge(request, error)
    }
  }
}
