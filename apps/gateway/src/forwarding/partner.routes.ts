import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER, IDENTITY_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { BASE_PATH, type Operation } from '@connectivity/contracts/partner-api'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Activity } from '../admission/activity/activity.service.js'
import { Observations } from '../admission/observations.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { leaveBodiesToAdmission } from '../http/raw-body.service.js'
import { AnswerMemory } from './answer-memory.service.js'
import { Exchange, FAILED } from './exchange.js'
import { requestHeaders } from './public-headers.js'
import { type Upstream, Upstreams } from './upstreams.service.js'

/** The catch-all route behind admission: streams every call to the service that owns it. */
@Injectable()
export class PartnerRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly upstreams: Upstreams,
    private readonly memory: AnswerMemory,
    private readonly activity: Activity,
    private readonly observations: Observations,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.all(`${BASE_PATH}/*`, (request, reply) => this.forward(request, reply))
    })
  }

  /** Slow calls have connections of their own. */
  private wayTo({ owner, headDeadline }: Operation): Upstream {
    const service = owner as ServiceName
    return headDeadline === undefined ? this.upstreams.of(service) : this.upstreams.forSlowCalls(service)
  }

  private async forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.hijack()
    const { operation, connection, credential } = request.caller
    const { limitHeaders, record } = request
    record.fields.upstream = operation.owner
    const owner = operation.owner as ServiceName
    const headers = requestHeaders(request.headers)
    const body = request.rawBody.length > 0 && operation.method !== 'GET' ? request.rawBody : null
    const identified = identifiedRequest(request, headers, body)
    headers[IDENTITY_HEADER] = signIdentity(this.config.IDENTITY_KEYS[owner], claimsOf(request, owner), identified)
    headers[CORRELATION_HEADER] = request.id
    const given = {
      id: request.id,
      service: owner,
      applicationId: credential.applicationId,
      limitHeaders,
      record,
      onEvidence: (named: string) => this.observations.emit('shown', connection!.connectionId, named, request.id),
    }
    const exchange = new Exchange(reply.raw, given, this.memory)
    const asked = { method: operation.method, path: request.originalUrl, headers, body }
    await exchange.run(this.wayTo(operation), asked, operation.headDeadline)
    const isPoll = operation.path === '/reservations' && request.method === 'GET'
    if (isPoll && exchange.status > 0 && exchange.status < 400) this.activity.polled(connection!.connectionId)
    if (exchange.failure) this.log.warn({ err: exchange.failure, service: owner, correlation_id: request.id }, FAILED)
  }
}

/** The request as the service will receive it. */
const identifiedRequest = (request: FastifyRequest, headers: Record<string, string>, body: Buffer | null) => ({
  method: request.caller.operation.method,
  target: request.originalUrl,
  idempotencyKey: headers[IDEMPOTENCY_KEY.toLowerCase()],
  bodyHash: body ? request.rawBodyHash : undefined,
})

function claimsOf({ caller, id }: FastifyRequest, aud: ServiceName) {
  const { credential, connection } = caller
  return {
    aud,
    exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
    application_id: credential.applicationId,
    connection: connection && {
      property_id: connection.connectionId,
      external_property_id: connection.externalPropertyId,
      state: connection.state,
    },
    scopes: credential.scopes,
    correlation_id: id,
  }
}
