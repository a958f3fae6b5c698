import type { IncomingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { HttpStatus, Inject, Injectable } from '@nestjs/common'
import { CATALOG_VERSION_HEADER } from '@connectivity/contracts/applied-catalog'
import { EVIDENCE_HEADER, NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import { CORRELATION_HEADER, type ServiceName } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { SERVED_PAGE_HEADER, STORED_ANSWER_HEADER, type StoredAnswerUse } from '@connectivity/contracts/request-log'
import { INTERNAL_PATH } from '@connectivity/contracts/timeline'
import { LOOK_HEADER, NOTHING_NEW_HEADER, ONLY_NEWS, UNTIL_CHANGE } from '@connectivity/contracts/waiting'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { type Admitted, showsAnswer } from '../../admission/admitted.js'
import { Activity } from '../../admission/activity/activity.service.js'
import { Observations } from '../../admission/observations.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import type { AnswerFacts } from '../../http/requests/partner-request.js'
import { AnswerMemory } from '../answers/answer-memory.service.js'
import { answersRepeated } from '../answers/answer-metrics.js'
import { giveHeld, type HeldAnswer, HeldAnswerStream, type RepeatableAnswer } from '../answers/held-answer.js'
import { LaterAnswer } from '../answers/later-answer.js'
import { AppliedCatalogs } from './applied-catalogs.client.js'
import { Exchange, FAILED, type TakeAnswer, type UpstreamRequest } from './exchange.js'
import { identify, partnerClaims } from './identity.js'
import { requestHeaders, responseHeaders } from './public-headers.js'
import { partnerCaller } from './service-caller.js'
import { forgetRefusal, noteRefusalIn } from './refusal.js'
import { Upstreams } from './upstreams.service.js'

/** Kind of a look at the service: the only one, a repeatable one of a wait, or the last of a wait. */
export type LookKind = 'only' | 'waiting' | 'last'

/** Takes an answer that may be repeated until its connection changes. */
export type Keep = (answer: RepeatableAnswer) => void

/** Options of one look at a service. */
export interface LookOptions {
  /** Called when the answer begins. */
  onAnswer?: () => void
  /** Longest wait for the head of the service's answer, ms; default: that of the operation. */
  headDeadline?: number
  keep?: Keep | null
}

/** Answers admitted requests from the service that owns the call. */
@Injectable()
export class ServiceCalls {
  constructor(
    private readonly upstreams: Upstreams,
    private readonly memory: AnswerMemory,
    private readonly activity: Activity,
    private readonly observations: Observations,
    private readonly appliedCatalogs: AppliedCatalogs,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  /** Builds the answer from one in memory. */
  repeat(admitted: Admitted, { internal, headers, ...answer }: RepeatableAnswer): HeldAnswer {
    answersRepeated.inc()
    this.noteHead(admitted, answer.status, internal)
    return { ...answer, headers: { ...headers, [CORRELATION_HEADER]: admitted.id } }
  }

  /** Disconnects the client of a request that failed unexpectedly. */
  fail({ id, reply }: Admitted, error: unknown): void {
    this.log.error({ err: error, correlation_id: id }, 'a request failed unexpectedly; its client was disconnected')
    reply.raw.destroy()
  }

  /** Gives the answer that was held back, if there is one, and counts the poll. */
  end(admitted: Admitted, found: HeldAnswer | number): void {
    const { reply, answerHeaders, operation, connection } = admitted
    if (typeof found !== 'number' && !reply.raw.destroyed) {
      if (found.status >= 400) noteRefusalIn(admitted.http.record, found.body)
      giveHeld(found, reply.raw, answerHeaders)
    }
    const isPoll = operation.path === '/reservations' && isServed(found)
    if (isPoll && showsAnswer(admitted)) this.activity.polled(connection!.connectionId)
  }

  /**
   * Looks at the service and answers, unless the request waits and the look finds no news, or the answer is kept.
   * @returns the answer that was held back, else the status of the answer that was sent
   */
  async look(
    admitted: Admitted,
    kind: LookKind,
    { onAnswer, headDeadline, keep = null }: LookOptions = {},
  ): Promise<HeldAnswer | number> {
    const { id, http, reply, operation, credential } = admitted
    const service = operation.owner as ServiceName
    const forwarded = {
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
      return this.begin(admitted, status, headers, internal)
    }
    const exchange = new Exchange(reply.raw, forwarded, this.memory, take)
    const request = this.requestFor(admitted, service)
    if (kind === 'waiting') request.headers[LOOK_HEADER] = ONLY_NEWS
    await exchange.run(this.upstreams.forCall(operation), request, headDeadline ?? operation.headDeadline)
    if (exchange.failure) this.log.warn({ err: exchange.failure, service, correlation_id: id }, FAILED)
    return exchange.failure === null && held ? this.collected(admitted, held, keep) : exchange.status
  }

  private begin(admitted: Admitted, ...[status, headers, internal]: Parameters<TakeAnswer>): Writable {
    const { connection, reply } = admitted
    const applied = this.appliedCatalogs.until(internal, reply.raw, () => {
      return { caller: partnerCaller(admitted), connectionId: connection!.connectionId, base: INTERNAL_PATH }
    })
    return applied ? new LaterAnswer(reply.raw, { status, headers }, applied) : reply.raw.writeHead(status, headers)
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
    const { http, operation, target, body, connection } = admitted
    const headers = requestHeaders(http.headers)
    if (admitted.method === 'HEAD') headers[NO_BODY_HEADER] = '1'
    if (service === 'ari')
      headers[CATALOG_VERSION_HEADER] = String(this.appliedCatalogs.leastFor(connection!.connectionId))
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

/** Whether the service allows to repeat an answer. */
const isRepeatable = (headers: IncomingHttpHeaders): boolean => headers[NOTHING_NEW_HEADER] === UNTIL_CHANGE

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
