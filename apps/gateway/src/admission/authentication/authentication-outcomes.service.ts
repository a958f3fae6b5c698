import { HttpStatus, Injectable } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { Activity } from '../activity/activity.service.js'
import type { LiveCredential } from '../../live/live-credential.js'
import { FailedAuthentications } from '../limits/failed-authentications.service.js'
import { PacedAnswers } from '../limits/paced-answers.hook.js'
import type { PartnerRequest } from '../../http/requests/partner-request.js'
import { KnownAddresses } from '../../http/requests/known-addresses.service.js'
import { OverBudget } from '../../http/requests/body-refusals.js'

/** Whether a refusal is a failed authentication. */
const isUnauthenticated = ({ status }: ServiceError): boolean => status === HttpStatus.UNAUTHORIZED

/** Bodies up to this length are always read, bytes: three times what a credential needs. */
const SHORT = 2 * 1024

/** Whether a request announces that its body is short. */
const isShort = ({ http: { headers } }: PartnerRequest): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= SHORT

/** Records successful and failed authentications, for every mechanism. */
@Injectable()
export class AuthenticationOutcomes {
  constructor(
    private readonly activity: Activity,
    private readonly failures: FailedAuthentications,
    private readonly known: KnownAddresses,
    private readonly answers: PacedAnswers,
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
      throw this.paced(partner, counts ? await this.failures.judge(partner.address, error) : error)
    }
  }

  /**
   * Checks the address before a body that holds credentials is read: reading a long one counts as a lookup. A short one
   * is always read: its credential may be valid.
   * @throws ServiceError 429 `rate_limited` when the address has failed too often
   */
  async checkAddress(partner: PartnerRequest): Promise<void> {
    if (!isShort(partner)) await this.lookUp(partner, async () => true)
  }

  /**
   * Looks up a credential that the caller may have invented, within the limit of its address.
   * @throws ServiceError 429 `rate_limited` when the address has failed too often; what `load` throws
   */
  async lookUp<T>(partner: PartnerRequest, load: () => Promise<T>): Promise<T> {
    const found = await this.failures.lookUp(partner.address, load)
    if (found === undefined) throw this.paced(partner, this.failures.refusal(partner.address))
    return found
  }

  /** Delays the refusal of an address over its limit: each one ends a connection, and clients reconnect at once. */
  private paced(partner: PartnerRequest, refusal: ServiceError): ServiceError {
    if (refusal.status === HttpStatus.TOO_MANY_REQUESTS) this.answers.refuse(partner, `failures ${partner.address}`)
    return refusal
  }

  /** An unknown address that exceeds its body budget counts as a failure: each such body costs a connection. */
  private isUnknownOverBudget(partner: PartnerRequest, error: ServiceError): boolean {
    return error instanceof OverBudget && !this.known.has(partner.address)
  }
}
