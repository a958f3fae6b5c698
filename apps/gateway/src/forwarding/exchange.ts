import { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { ServiceError } from '@connectivity/contracts/errors'
import { EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import { answerHeaders } from '@connectivity/service-kit/error-envelope.filter'
import { ERROR_CODE_HEADER, type RequestRecord, rounded } from '@connectivity/service-kit/request-record'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { Pool } from 'undici'
import { ForwardingSpan } from './forwarding-span.js'
import { responseHeaders } from './public-headers.js'
import { StreamedAnswer } from './streamed-answer.js'
import { upstreamDuration, upstreamFailures } from './upstream-metrics.js'

/** Longest wait for the head of a service's answer, if its operation says nothing else, ms. */
const HEAD_DEADLINE = 10_000
/** Longest time from the request to the end of its answer, ms: 4 MiB through a line of half a megabit a second. */
const ANSWER_DEADLINE = 70_000

/** Failures of a connection before any byte of the answer: what happens once however often it comes is sent again. */
const CONNECTION_FAILURES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'])

/** A request as the service gets it. */
export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query as sent by the partner. */
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

/** The partner's request, as far as its answer depends on it. */
export interface AskedFor {
  /** Its correlation id. */
  id: string
  service: ServiceName
  /** What every answer says besides. */
  limitHeaders: Record<string, string> | undefined
  record: RequestRecord
  /** Told what the owner says its answer showed. */
  onEvidence?: (named: string) => void
}

/** A place among the requests of one application that a service works on at once. */
export interface Place {
  enter: (signal: EventEmitter) => Promise<void> | null
  leave: () => void
}

/** Nothing but an answer in full shows the partner something. */
const SHOWN = 200
/** A service refused our identity: a fault of ours, which must not look like the partner's. */
const UNTRUSTED = 401

/**
 * Takes the head of an answer and gives the stream for its body.
 * @param headers for the one who asked
 * @param internal as the service said them, its word to the gateway among them
 */
export type TakeAnswer = (
  status: number,
  headers: Record<string, string | string[]>,
  internal: IncomingHttpHeaders,
) => Writable

const discard = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One request of a partner or operator on its way through a service and back; ends early when the client goes away. */
export class Exchange {
  /** Status of the service's answer, 0 until there is one. */
  status = 0
  /** Why there was no proper one, null while all went well or the client went away. */
  failure: unknown = null
  private readonly startedAt = performance.now()
  private readonly signal = new EventEmitter()
  private answer: StreamedAnswer | null = null
  private deadline: NodeJS.Timeout | undefined
  private cancelled = false
  private late = false

  constructor(
    private readonly response: ServerResponse,
    private readonly request: AskedFor,
    private readonly take: TakeAnswer = (status, headers) => response.writeHead(status, headers),
  ) {}

  /**
   * @param headDeadline longest wait for the head of the answer, a free connection included, ms
   * @param enter takes one of the caller's places at the service, null when that was done at once
   * @throws never: whatever goes wrong is answered
   */
  async run(
    pool: Pool,
    request: UpstreamRequest,
    { enter, leave }: Place,
    headDeadline = HEAD_DEADLINE,
  ): Promise<void> {
    // Whoever left before this learns nothing, and no event would tell it again.
    if (this.response.destroyed) return
    // Emitted behind every answer that was given in full, too.
    const cancel = () => this.response.writableFinished || this.cancel()
    this.response.once('close', cancel)
    const { record, service } = this.request
    const forwarding = new ForwardingSpan(record.trace, service, request)
    this.setDeadlines(headDeadline)
    try {
      const place = enter(this.signal)
      if (place) await place
      await this.send(pool, request).finally(() => this.whenReleased(leave))
      if (this.status === UNTRUSTED) this.refuse(unavailable(), new Error('the service did not accept our identity'))
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
      this.cancel()
    }
    const wait = () => {
      if (this.status === 0) expire()
      else this.deadline = setTimeout(expire, ANSWER_DEADLINE - ofHead)
    }
    this.deadline = setTimeout(wait, ofHead)
  }

  private cancel(): void {
    this.cancelled = true
    this.signal.emit('abort')
    this.answer?.cancel(new Error('the request was cancelled'))
  }

  private async send(pool: Pool, request: UpstreamRequest): Promise<void> {
    try {
      await this.attempt(pool, request)
    } catch (error) {
      if (!this.mayRepeat(request, error)) throw error
      await this.attempt(pool, request)
    }
  }

  /** The answer may be over for the partner while the request still waits for its turn. */
  private whenReleased(leave: () => void): void {
    if (this.answer) void this.answer.released.then(leave)
    else leave()
  }

  private async attempt(pool: Pool, request: UpstreamRequest): Promise<void> {
    if (this.cancelled) throw new Error('the request was cancelled before it was sent')
    const answer = new StreamedAnswer((status, headers) => this.accept(status, headers))
    this.answer = answer
    pool.dispatch(request, answer)
    await answer.done
  }

  private accept(status: number, headers: IncomingHttpHeaders): Writable {
    this.status = status
    this.recordHead(headers[ERROR_CODE_HEADER])
    if (status === UNTRUSTED) return discard()
    const evidence = headers[EVIDENCE_HEADER]
    if (status === SHOWN && typeof evidence === 'string') this.request.onEvidence?.(evidence)
    const answered = responseHeaders(headers, this.request.id)
    return this.take(status, Object.assign(answered, this.request.limitHeaders), headers)
  }

  /** Here rather than at the end: the line is written the moment the answer has been handed over. */
  private recordHead(code: unknown): void {
    const { record } = this.request
    const milliseconds = performance.now() - this.startedAt
    if (typeof code === 'string') record.code = code
    record.fields.upstream_ms = rounded(milliseconds)
    upstreamDuration.observe({ service: this.request.service }, milliseconds / 1000)
  }

  /** A service that is being replaced breaks connections off; its owner applies a change with a key only once. */
  private mayRepeat({ method, headers }: UpstreamRequest, error: unknown): boolean {
    const { code } = error as { code?: string }
    const happensOnce = method === 'GET' || headers['idempotency-key'] !== undefined
    return happensOnce && this.status === 0 && !this.cancelled && CONNECTION_FAILURES.has(code ?? '')
  }

  private fail(error: unknown): void {
    const { response } = this
    if (response.destroyed) return
    if (!response.headersSent) return this.refuse(this.late ? timedOut() : unavailable(), error)
    this.failure = error
    response.destroy()
  }

  private refuse(refusal: ServiceError, cause: unknown): void {
    this.failure = cause
    const { id, limitHeaders, record, service } = this.request
    const body = JSON.stringify(refusal.body(id))
    const headers = {
      ...answerHeaders(id, refusal),
      ...limitHeaders,
      'content-length': Buffer.byteLength(body),
    }
    this.status = refusal.status
    record.code = refusal.code
    upstreamFailures.inc({ service, status: refusal.status })
    this.response.writeHead(refusal.status, headers).end(body)
  }
}

const unavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'This part of the service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })

const timedOut = (): ServiceError =>
  new ServiceError('upstream_timeout', 'The service did not answer in time; try again with back-off.')
