import { Controller, Get, Inject, Param } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { readParameter } from '@connectivity/contracts/query-parameters'
import { type RequestAnswer, requestFilters, type RequestPage } from '@connectivity/contracts/request-log'
import { queryOf } from '@connectivity/contracts/request-target'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { Queryable } from '@connectivity/database'
import { type Admitted, AdmittedRequest } from '../admission/admitted.js'
import { isAssigned, notAssigned } from '../admission/assignment/assignment.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import type { LiveCredential } from '../live/live-credential.js'
import { LiveConnections } from '../live/live-connections.service.js'
import { LogSearches, partnerSearcher, SHORTER_TIME } from './log-searches.service.js'
import { pageOfRequests, present } from './logged-request.view.js'
import { RequestListings } from './request-listings.service.js'
import { RequestListStore, type Visible } from './request-list.store.js'

const FILTERS = ['property_id', ...requestFilters]

/** GET /requests: a partner's own requests and their answers. */
@Controller(`${BASE_PATH}/requests`)
export class RequestsController {
  constructor(
    private readonly requests: RequestListStore,
    private readonly listings: RequestListings,
    private readonly searches: LogSearches,
    private readonly connections: LiveConnections,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'REQUEST_LOG_DAYS'>,
  ) {}

  /**
   * @throws ServiceError 400 `invalid_request` or `invalid_cursor`, 403 `property_forbidden` for a foreign connection
   */
  @Get()
  async list(@AdmittedRequest() admitted: Admitted): Promise<RequestPage> {
    const { target, credential } = admitted
    const parameters = new URLSearchParams(queryOf(target))
    await this.checkAssigned(readParameter(parameters, 'property_id'), credential)
    const listing = await this.listings.read(parameters, credential.applicationId, FILTERS)
    // A cursor holds its connection, which may have been moved to another application.
    await this.checkAssigned(listing.filter.connectionId ?? null, credential)
    const list = (tx: Queryable) => this.requests.list(tx, visibleTo(credential), listing)
    const page = await this.searches.run(partnerSearcher(admitted), list, SHORTER_TIME)
    return pageOfRequests(page, listing, present)
  }

  /** @throws ServiceError 404 when the log holds no such request of the caller */
  @Get(':correlationId')
  async read(
    @Param('correlationId') correlationId: string,
    @AdmittedRequest() admitted: Admitted,
  ): Promise<RequestAnswer> {
    const row = correlationId.includes('\0') ? null : await this.find(admitted, correlationId)
    if (row) return { schema_version: SCHEMA_VERSION, request: present(row) }
    const message = `The log holds no request of yours with this correlation id: it is visible after 2 s, kept for ${this.config.REQUEST_LOG_DAYS} days, and equal polls of a minute share the id of the first.`
    throw new ServiceError('not_found', message)
  }

  private find(admitted: Admitted, correlationId: string) {
    const visible = visibleTo(admitted.credential)
    return this.searches.run(partnerSearcher(admitted), (tx) => this.requests.find(tx, visible, correlationId))
  }

  /** The log belongs to the application: it is shown in every state of the connection. */
  private async checkAssigned(connectionId: string | null, credential: LiveCredential): Promise<void> {
    if (connectionId === null) return
    const connection = await this.connections.get(connectionId)
    if (!connection || !isAssigned(connection, credential)) throw notAssigned()
  }
}

const visibleTo = ({ applicationId, ownConnectionOnly, connectionId, keyId }: LiveCredential): Visible => ({
  applicationId,
  only: ownConnectionOnly && connectionId !== null ? { connectionId, keyId } : null,
})
