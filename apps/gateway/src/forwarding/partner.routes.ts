import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER, IDENTITY_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { BASE_PATH, type Operation } from '@connectivity/contracts/partner-api'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { FastifyInstance } from 'fastify'
import { type Admitted, forAdmitted } from '../admission/admitted.js'
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
      routes.all(
        `${BASE_PATH}/*`,
        forAdmitted((admitted) => this.forward(admitted)),
      )
    })
  }

  /** Slow calls have connections of their own. */
  private wayTo({ owner, headDeadline }: Operation): Upstream {
    const service = owner as ServiceName
    return headDeadline === undefined ? this.upstreams.of(service) : this.upstreams.forSlowCalls(service)
  }

  private notePoll({ operation, method, connection }: Admitted): void {
    if (operation.path === '/reservations' && method === 'GET') this.activity.polled(connection!.connectionId)
  }

  private async forward(admitted: Admitted): Promise<void> {
    const { id, http, reply, operation, connection, credential, target, body } = admitted
    const { record } = http
    reply.hijack()
    record.fields.upstream = operation.owner
    const service = operation.owner as ServiceName
    const headers = requestHeaders(http.headers)
    const sent = body.length > 0 && operation.method !== 'GET' ? body : null
    const identified = {
      method: operation.method,
      target,
      idempotencyKey: headers[IDEMPOTENCY_KEY.toLowerCase()],
      bodyHash: sent ? admitted.bodyHash : undefined,
    }
    headers[IDENTITY_HEADER] = signIdentity(this.config.IDENTITY_KEYS[service], claimsOf(admitted, service), identified)
    headers[CORRELATION_HEADER] = id
    const asked = {
      id,
      service,
      applicationId: credential.applicationId,
      addedHeaders: admitted.answerHeaders,
      record,
      onEvidence: (named: string) => this.observations.emit('shown', connection!.connectionId, named, id),
    }
    const exchange = new Exchange(reply.raw, asked, this.memory)
    const request = { method: operation.method, path: target, headers, body: sent }
    await exchange.run(this.wayTo(operation), request, operation.headDeadline)
    if (isAnswered(exchange)) this.notePoll(admitted)
    if (exchange.failure) this.log.warn({ err: exchange.failure, service, correlation_id: id }, FAILED)
  }
}

const isAnswered = ({ status }: Exchange): boolean => status > 0 && status < 400

function claimsOf({ credential, connection, id }: Admitted, aud: ServiceName) {
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
