import { Controller, Get, Inject, Param } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { INTERNAL_PATH, type Timeline } from '@connectivity/contracts/timeline'
import { type Admitted, AdmittedRequest } from '../admission/admitted.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { partnerIdentity } from '../forwarding/partner-identity.js'
import { type ServiceAnswer, ServiceAnswers } from '../forwarding/service-answers.client.js'
import { Upstreams } from '../forwarding/upstreams.service.js'
import { partner } from '../request-log/log-searches.service.js'
import { Timelines } from './timelines.service.js'

/** Longest wait for a service, ms. */
const TIMEOUT = 5_000

/** GET /reservations/{reservation_id}/timeline: the history of a reservation, with the requests that fetched it. */
@Controller(`${BASE_PATH}/reservations/:reservationId/timeline`)
export class TimelineController {
  constructor(
    private readonly timelines: Timelines,
    private readonly upstreams: Upstreams,
    private readonly answers: ServiceAnswers,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  async read(@Param('reservationId') reservationId: string, @AdmittedRequest() admitted: Admitted): Promise<Timeline> {
    const { connectionId } = admitted.connection!
    const asked = { searcher: partner(admitted), connectionId, reservationId }
    return this.timelines.of(asked, (...asking) => this.ask(admitted, ...asking))
  }

  private ask(admitted: Admitted, service: ServiceName, below: string): Promise<ServiceAnswer> {
    const asked = { service, method: 'GET', path: INTERNAL_PATH + below } as const
    const identified = { method: asked.method, target: asked.path }
    const headers = partnerIdentity(admitted, service, this.config.IDENTITY_KEYS[service], identified)
    const { applicationId: caller } = admitted.credential
    const request = { ...asked, headers, body: null, timeout: TIMEOUT, caller }
    return this.answers.ask(this.upstreams.of(service), request, admitted.http.record)
  }
}
