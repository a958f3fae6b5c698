import { Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Activity } from '../activity/activity.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { FailedAuthentications } from '../limits/failed-authentications.service.js'
import type { PartnerRequest } from '../../http/partner-request.js'
import { KnownAddresses } from '../../http/known-addresses.service.js'
import { OverBudget } from '../../http/raw-body.service.js'

const UNAUTHENTICATED = 401

/** Whether a refusal is a failed authentication. */
const isUnauthenticated = ({ status }: ServiceError): boolean => status === UNAUTHENTICATED

/** Records successful and failed authentications, for every mechanism. */
@Injectable()
export class AuthenticationOutcomes {
  constructor(
    private readonly activity: Activity,
    private readonly failures: FailedAuthentications,
    private readonly known: KnownAddresses,
  ) {}

  /**
   * Notes the credential's use and adds its ids to the request's log line.
   * @param authenticate identifies the sender of the request
   * @param isFailure which refusals count against the address
   * @throws what `authenticate` throws, or 429 `rate_limited` when the address has failed too often
   */
  async recognise<T extends { credential: LiveCredential }>(
    partner: PartnerRequest,
    authenticate: () => Promise<T>,
    isFailure = isUnauthenticated,
  ): Promise<T> {
    try {
      const caller = await authenticate()
      partner.facts.caller = caller.credential
      const { applicationId, credentialId, person } = caller.credential
      if (person) this.activity.seen(credentialId)
      else this.activity.used(credentialId)
      this.known.note(partner.address)
      Object.assign(partner.http.record.fields, { application_id: applicationId, credential_id: credentialId })
      return caller
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      const counts = isFailure(error) || this.isUnknownOverBudget(partner, error)
      throw counts ? await this.failures.judge(partner.address, error) : error
    }
  }

  /**
   * Checks the address before a body that holds credentials is read: reading it counts as a lookup.
   * @throws ServiceError 429 `rate_limited` when the address has failed too often
   */
  async checkAddress(partner: PartnerRequest): Promise<void> {
    const isUnderLimit = await this.failures.lookUp(partner.address, async () => true)
    if (!isUnderLimit) throw this.failures.refusal(partner.address)
  }

  /** An unknown address that exceeds its body budget counts as a failure: each such body costs a connection. */
  private isUnknownOverBudget(partner: PartnerRequest, error: ServiceError): boolean {
    return error instanceof OverBudget && !this.known.has(partner.address)
  }
}
