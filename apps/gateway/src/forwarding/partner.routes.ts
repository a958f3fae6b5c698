import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER, IDENTITY_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { BASE_PATH, type Operation } from '@connectivity/contracts/partner-api'
import { FRESH_HEADER, NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import type { FastifyInstance } from 'fastify'
import { type Admitted, forAdmitted } from '../admission/admitted.js'
import { Activity } from '../admission/activity/activity.service.js'
import { Observations } from '../admission/observations.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { leaveBodiesToAdmission } from '../http/raw-body.service.js'
import { AnswerMemory } from './answer-memory.service.js'
import { Exchange, FAILED, type TakeAnswer, type UpstreamRequest } from './exchange.js'
import { HeldAnswer } from './held-answer.js'
import { requestHeaders } from './public-headers.js'
import { type Upstream, Upstreams } from './upstreams.service.js'
import { type LookKind, WaitingRequests } from './waiting-requests.service.js'

/** The catch-all route behind admission: streams every call to the service that owns it. */
@Injectable()
export class PartnerRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly upstreams: Upstreams,
    private readonly memory: AnswerMemory,
    private readonly waiting: WaitingRequests,
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
    const { http, reply, operation, answerHeaders } = admitted
    reply.hijack()
    http.record.fields.upstream = operation.owner
    const found = await this.waiting.answer(admitted, (kind) => this.exchange(admitted, kind))
    if (typeof found !== 'number' && !reply.raw.destroyed) found.give(reply.raw, answerHeaders)
    if (isServed(found)) this.notePoll(admitted)
  }

  /** @returns the status of what was answered; or the answer itself, if the request waits and it has no news */
  private async exchange(admitted: Admitted, look: LookKind): Promise<HeldAnswer | number> {
    const { id, http, reply, operation, connection, credential } = admitted
    const service = operation.owner as ServiceName
    const asked = {
      id,
      service,
      applicationId: credential.applicationId,
      addedHeaders: admitted.answerHeaders,
      record: http.record,
      onEvidence: (named: string) => this.observations.emit('shown', connection!.connectionId, named, id),
    }
    let held: HeldAnswer | null = null
    const take: TakeAnswer = (status, headers, internal) => {
      if (look === 'only' || internal[NOTHING_NEW_HEADER] === undefined) return reply.raw.writeHead(status, headers)
      return (held = new HeldAnswer(status, headers))
    }
    const exchange = new Exchange(reply.raw, asked, this.memory, take)
    const request = this.requestFor(admitted, service)
    // A copy in memory may miss a change whose notification came before this look.
    if (look !== 'only') request.headers[FRESH_HEADER] = '1'
    await exchange.run(this.wayTo(operation), request, operation.headDeadline)
    if (exchange.failure) this.log.warn({ err: exchange.failure, service, correlation_id: id }, FAILED)
    return exchange.failure === null ? (held ?? exchange.status) : exchange.status
  }

  private requestFor(admitted: Admitted, service: ServiceName): UpstreamRequest {
    const { id, http, operation, target, body } = admitted
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
    return { method: operation.method, path: target, headers, body: sent }
  }
}

const isServed = (found: HeldAnswer | number): boolean => typeof found !== 'number' || (found > 0 && found < 400)

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
