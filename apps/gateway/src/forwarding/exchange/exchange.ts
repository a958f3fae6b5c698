import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { HttpStatus } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { ERROR_CODE_HEADER, type RequestRecord, rounded } from '@connectivity/service-kit/http'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { Account, AnswerMemory } from '../answers/answer-memory.service.js'
import { slowReadersEnded } from '../answers/answer-metrics.js'
import { ForwardingSpan } from './forwarding-span.js'
import { noteForm } from './identity-forms.js'
import { responseHeaders } from './public-headers.js'
import { answerRefusal, refusalReader } from './refusal.js'
import { resetConnection } from '../../http/connections/reset-connection.js'
import { ANSWER_DEADLINE, type AnswerTaker, SlowReader, StreamedAnswer } from '../answers/streamed-answer.js'
import { upstreamDuration, upstreamFailures } from './upstream-metrics.js'
import type { Upstream } from './upstreams.service.js'

/** Longest wait for the head of a service's answer, unless its operation defines another, ms. */
export const HEAD_DEADLINE = 10_000

/** Connection failures; before any byte of the answer an idempotent request is sent again. */
const CONNECTION_FAILURES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'])

/** Log message about a failed exchange; `err` shows whether the service or its reader is the cause. */
export const FAILED = 'answer could not be given in full'

/** A request as sent to the service. */
export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query as sent by the partner. */
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

/** Properties of a forwarded request that its answer depends on. */
export interface ForwardedRequest {
  /** Its correlation id. */
  id: string
  service: ServiceName
  /** The application whose places and memory the request uses. */
  applicationId: string
  /** Headers added to every answer, above all those of the rate limits. */
  addedHeaders: Record<string, string> | undefined
  record: RequestRecord
}

/**
 * Takes the head of an answer and returns the stream for its body.
 * @param headers headers for the client
 * @param internal headers as the service sent them, including those meant for the gateway only
 */
export type TakeAnswer = (
  status: number,
  headers: Record<string, string | string[]>,
  internal: IncomingHttpHeaders,
) => Writable

const discard = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One forwarded request of a partner or operator and its answer; ends early when the client disconnects. */
export class Exchange implements AnswerTaker {
  /** Status of the answer, 0 until there is one. */
  status = 0
  /** Cause of a failed exchange; null after success or when the client disconnected. */
  failure: unknown = null
  readonly account: Account
  private readonly startedAt = performance.now()
  private readonly signal = new EventEmitter()
  private answer: StreamedAnswer | null = null
  private deadline: NodeJS.Timeout | undefined
  private cancelled = false
  private late = false

  constructor(
    private readonly response: ServerResponse,
    private readonly request: ForwardedRequest,
    memory: AnswerMemory,
    private readonly take: TakeAnswer,
  ) {
    this.account = { applicationId: request.applicationId, memory }
  }

  /**
   * @param headDeadline longest wait for the head of the answer, including the wait for one of the caller's places, ms
   * @throws never: every failure is answered
   */
  async run(upstream: Upstream, request: UpstreamRequest, headDeadline = HEAD_DEADLINE): Promise<void> {
    // The client is already gone; `close` will not fire a second time.
    if (this.response.destroyed) return
    // `close` is also emitted after a complete answer.
    const cancel = () => this.response.writableFinished || this.cancel()
    this.response.on('close', cancel)
    const { record, service } = this.request
    const forwarding = new ForwardingSpan(record.trace, service, request)
    this.setDeadlines(headDeadline)
    try {
      await this.send(upstream, request)
      if (this.status === HttpStatus.UNAUTHORIZED)
        this.refuse(serviceUnavailable(), new Error('the service did not accept our identity'))
    } catch (error) {
      this.fail(error)
    } finally {
      clearTimeout(this.deadline)
      this.response.removeListener('close', cancel)
      forwarding.end(this.status, this.failure !== null)
    }
  }

  private setDeadlines(ofHead: number): void {
    const expire = () => {
      this.late = true
      this.cancel(this.status === 0 ? undefined : new SlowReader('deadline'))
    }
    const wait = () => {
      if (this.status === 0) expire()
      else this.deadline = setTimeout(expire, ANSWER_DEADLINE - ofHead)
    }
    this.deadline = setTimeout(wait, ofHead)
  }

  private cancel(reason = new Error('the request was cancelled')): void {
    this.cancelled = true
    this.signal.emit('abort')
    this.answer?.cancel(reason)
  }

  /**
   * Sends the request, at most twice. Gives its place back when the service has sent everything, or when a cancelled
   * request has left the pool.
   */
  private async send(upstream: Upstream, request: UpstreamRequest, isRepeated = false): Promise<void> {
    const { pool, queue } = upstream
    const { applicationId } = this.account
    const place = queue.enter(applicationId, this.signal)
    if (place) await place
    const answer = new StreamedAnswer(this)
    this.answer = answer
    void answer.released.then(() => queue.leave(applicationId))
    if (this.cancelled) answer.cancel(new Error('the request was cancelled before it was sent'))
    pool.dispatch(request, answer)
    try {
      await answer.done
    } catch (error) {
      if (isRepeated || !this.mayRepeat(request, error)) throw error
      await this.send(upstream, request, true)
    }
  }

  /** Records the head of the answer and returns the stream for its body. A 401 is discarded. */
  begin(status: number, headers: IncomingHttpHeaders): Writable {
    this.status = status
    noteForm(this.request.service, headers)
    this.recordHead(headers[ERROR_CODE_HEADER])
    if (status >= 400) this.answer!.reader = refusalReader(this.request.record)
    // The service refuses the gateway's identity: our fault, which must not look like the partner's.
    if (status === HttpStatus.UNAUTHORIZED) return discard()
    const answered = responseHeaders(headers, this.request.id)
    return this.take(status, Object.assign(answered, this.request.addedHeaders), headers)
  }

  /** Records the head now, because the log line is written as soon as the answer has been handed over. */
  private recordHead(code: unknown): void {
    const { record } = this.request
    const milliseconds = performance.now() - this.startedAt
    if (typeof code === 'string') record.code = code
    record.fields.upstream_ms = rounded(milliseconds)
    upstreamDuration.observe({ service: this.request.service }, milliseconds / 1000)
  }

  /** A service that is being replaced aborts connections. Repeating a change with a key is safe: it is applied once. */
  private mayRepeat({ method, headers }: UpstreamRequest, error: unknown): boolean {
    const { code } = error as { code?: string }
    const isIdempotent = method === 'GET' || headers['idempotency-key'] !== undefined
    return isIdempotent && this.status === 0 && !this.cancelled && CONNECTION_FAILURES.has(code ?? '')
  }

  private fail(error: unknown): void {
    const { response } = this
    if (response.destroyed) return
    if (!response.headersSent) return this.refuse(this.refusalOf(), error)
    this.failure = error
    if (error instanceof SlowReader) {
      slowReadersEnded.inc({ needed: error.needed })
      if (response.socket) resetConnection(response.socket)
    }
    response.destroy()
  }

  private refusalOf(): ServiceError {
    if (!this.answer) return crowded()
    return this.late ? timedOut() : serviceUnavailable()
  }

  private refuse(refusal: ServiceError, cause: unknown): void {
    this.failure = cause
    this.status = refusal.status
    // A request that was never sent says nothing about the service.
    if (this.answer) upstreamFailures.inc({ service: this.request.service, status: refusal.status })
    answerRefusal(this.response, this.request, refusal)
  }
}

/** The service that owns the call cannot be reached. */
export const serviceUnavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'This part of the service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })

/** The request got no place at the service before its deadline, so it was never sent. */
export const crowded = (): ServiceError =>
  new ServiceError(
    'service_unavailable',
    'The request waited too long for its turn; finish reading the answers to your earlier requests, then try again with back-off.',
    { retryAfterSeconds: 2 },
  )

/** The service took the request and did not answer before the deadline. */
export const timedOut = (): ServiceError =>
  new ServiceError('upstream_timeout', 'The service did not answer in time; try again with back-off.')
