import type { IncomingHttpHeaders } from 'node:http'
import { HttpStatus, Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { EVIDENCE_HEADER, NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import { CORRELATION_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SERVED_PAGE_HEADER, STORED_ANSWER_HEADER, type StoredAnswerUse } from '@connectivity/contracts/request-log'
import { LOOK_HEADER, NOTHING_NEW_HEADER, ONLY_NEWS } from '@connectivity/contracts/waiting'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import type { FastifyInstance } from 'fastify'
import { type Admitted, admittedOf, showsAnswer } from '../admission/admitted.js'
import { Activity } from '../admission/activity/activity.service.js'
import { Observations } from '../admission/observations.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import type { AnswerFacts } from '../http/requests/partner-request.js'
import { leaveBodiesToAdmission } from '../http/requests/leave-bodies.js'
import { AnswerMemory } from './answers/answer-memory.service.js'
import { answersRepeated } from './answers/answer-metrics.js'
import { Exchange, FAILED, type TakeAnswer, type UpstreamRequest } from './exchange/exchange.js'
import { giveHeld, type HeldAnswer, HeldAnswerStream } from './waiting/held-answer.js'
import { identify, partnerClaims } from './exchange/identity.js'
import { forgetRefusal, noteRefusalIn } from './exchange/refusal.js'
import { requestHeaders, responseHeaders } from './exchange/public-headers.js'
import {
  isRepeatable,
  type Keep,
  type RepeatableAnswer,
  RepeatableAnswers,
} from './waiting/repeatable-answers.service.js'
import { Upstreams } from './exchange/upstreams.service.js'
import type { Answering, LookKind, LookOptions } from './waiting/waiting-request.js'
import { WaitingRequests } from './waiting/waiting-requests.service.js'

/** The catch-all route behind admission: streams every call to the service that owns it. */
@Injectable()
export class PartnerRoutes implements Answering, OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly upstreams: Upstreams,
    private readonly memory: AnswerMemory,
    private readonly waiting: WaitingRequests,
    private readonly repeatable: RepeatableAnswers,
    private readonly activity: Activity,
    private readonly observations: Observations,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      leaveBodiesToAdmission(routes)
      routes.all(`${BASE_PATH}/*`, (request) => this.forward(admittedOf(request)))
    })
  }

  private async forward(admitted: Admitted): Promise<void> {
    admitted.reply.hijack()
    try {
      const waits = this.waiting.answer(admitted, this)
      if (waits) return await waits
      const { answer, keep } = this.repeatable.ask(admitted)
      this.end(admitted, answer ? this.repeat(admitted, answer) : await this.look(admitted, 'only', { keep }))
    } catch (error) {
      this.fail(admitted, error)
    }
  }

  /** Builds the answer from one in memory. */
  private repeat(admitted: Admitted, { internal, headers, ...answer }: RepeatableAnswer): HeldAnswer {
    answersRepeated.inc()
    this.noteHead(admitted, answer.status, internal)
    return { ...answer, headers: { ...headers, [CORRELATION_HEADER]: admitted.id } }
  }

  fail({ id, reply }: Admitted, error: unknown): void {
    this.log.error({ err: error, correlation_id: id }, 'a request failed unexpectedly; its client was disconnected')
    reply.raw.destroy()
  }

  end(admitted: Admitted, found: HeldAnswer | number): void {
    const { reply, answerHeaders, operation, connection } = admitted
    if (typeof found !== 'number' && !reply.raw.destroyed) {
      if (found.status >= 400) noteRefusalIn(admitted.http.record, found.body)
      giveHeld(found, reply.raw, answerHeaders)
    }
    const isPoll = operation.path === '/reservations' && isServed(found)
    if (isPoll && showsAnswer(admitted)) this.activity.polled(connection!.connectionId)
  }

  /** @param options and `keep`, which takes an answer that may be repeated */
  async look(
    admitted: Admitted,
    kind: LookKind,
    { onAnswer, headDeadline, keep = null }: Partial<LookOptions> & { keep?: Keep | null } = {},
  ): Promise<HeldAnswer | number> {
    const { id, http, reply, operation, credential } = admitted
    const service = operation.owner as ServiceName
    const asked = {
      id,
      service,
      applicationId: credential.applicationId,
      addedHeaders: admitted.answerHeaders,
      record: http.record,
    }
    http.record.fields.upstream = service
    admitted.facts.answer = null
    const isCollected = collectedAnswers(kind, keep)
    let held: HeldAnswerStream | null = null
    const take: TakeAnswer = (status, headers, internal) => {
      this.noteHead(admitted, status, internal)
      if (isCollected(internal)) return (held = new HeldAnswerStream(status, headers, internal))
      onAnswer?.()
      return reply.raw.writeHead(status, headers)
    }
    const exchange = new Exchange(reply.raw, asked, this.memory, take)
    const request = this.requestFor(admitted, service)
    if (kind === 'waiting') request.headers[LOOK_HEADER] = ONLY_NEWS
    await exchange.run(this.upstreams.forCall(operation), request, headDeadline ?? operation.headDeadline)
    if (exchange.failure) this.log.warn({ err: exchange.failure, service, correlation_id: id }, FAILED)
    return exchange.failure === null && held ? this.collected(admitted, held, keep) : exchange.status
  }

  private collected({ id, http }: Admitted, { answer, internal }: HeldAnswerStream, keep: Keep | null): HeldAnswer {
    forgetRefusal(http.record)
    keep?.({ ...answer, headers: responseHeaders(internal, id), internal })
    return answer
  }

  private noteHead(admitted: Admitted, status: number, headers: IncomingHttpHeaders): void {
    const { http, connection, id } = admitted
    admitted.facts.answer = answerFacts(status, headers)
    const stored = headers[STORED_ANSWER_HEADER]
    if (stored !== undefined) http.record.storedAnswer = stored as StoredAnswerUse
    const evidence = headers[EVIDENCE_HEADER]
    if (status === HttpStatus.OK && typeof evidence === 'string' && showsAnswer(admitted)) {
      this.observations.emit('shown', connection!.connectionId, evidence, id)
    }
  }

  private requestFor(admitted: Admitted, service: ServiceName): UpstreamRequest {
    const { http, operation, target, body } = admitted
    const headers = requestHeaders(http.headers)
    if (admitted.method === 'HEAD') headers[NO_BODY_HEADER] = '1'
    const sent = body.bytes.length > 0 && operation.method !== 'GET' ? body : null
    const identified = {
      method: operation.method,
      target,
      idempotencyKey: headers[IDEMPOTENCY_KEY.toLowerCase()],
      bodyHash: sent?.hash,
    }
    identify(headers, this.config.IDENTITY_KEYS, partnerClaims(admitted, service), identified)
    return { method: operation.method, path: target, headers, body: sent && sent.bytes }
  }
}

/** Returns whether an answer is collected (to hold it back or keep it) instead of streamed to the client. */
function collectedAnswers(kind: LookKind, keep: Keep | null): (headers: IncomingHttpHeaders) => boolean {
  if (keep) return isRepeatable
  return kind === 'only' ? () => false : (headers) => headers[NOTHING_NEW_HEADER] !== undefined
}

function answerFacts(status: number, headers: IncomingHttpHeaders): AnswerFacts {
  const page = headers[SERVED_PAGE_HEADER]
  return {
    status,
    page: typeof page === 'string' ? page : null,
    isEmpty:
      status === HttpStatus.NOT_MODIFIED || (status === HttpStatus.OK && headers[NOTHING_NEW_HEADER] !== undefined),
    bytes: Number(headers['content-length'] ?? 0),
  }
}

function isServed(found: HeldAnswer | number): boolean {
  const status = typeof found === 'number' ? found : found.status
  return status > 0 && status < 400
}
