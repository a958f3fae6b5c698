import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders } from '@connectivity/service-kit/error-envelope.filter'
import type { Dispatcher, Pool } from 'undici'
import { responseHeaders } from './public-headers.js'

/** Longest wait for the head of a service's answer, a free connection included, ms. */
const HEAD_DEADLINE = 10_000

/** Failures of a connection before any byte of the answer: the request may be sent again if it is a GET. */
const CONNECTION_FAILURES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_CLOSED'])

export interface UpstreamRequest {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query as sent by the partner. */
  path: string
  headers: Record<string, string>
  body: Buffer | null
}

/** A service refused our identity: a fault of ours, which must not look like the partner's. */
const UNTRUSTED = 401

type Answer = Pick<Dispatcher.StreamFactoryData, 'statusCode' | 'headers'>

const discard = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() })

/** One request of a partner on its way through a service and back, streamed; ends early when the client goes away. */
export class Exchange {
  /** Status of the service's answer, 0 until there is one. */
  status = 0
  /** Why there was no proper one, null while all went well or the client went away. */
  failure: unknown = null
  private readonly signal = new EventEmitter()
  private late = false

  constructor(
    private readonly response: ServerResponse,
    private readonly correlationId: string,
  ) {}

  /** @throws never: whatever goes wrong is answered */
  async run(pool: Pool, request: UpstreamRequest): Promise<void> {
    const abort = () => this.signal.emit('abort')
    this.response.once('close', abort)
    try {
      await this.attempt(pool, request)
      if (this.status === UNTRUSTED) this.refuse(unavailable(), new Error('the service did not accept our identity'))
    } catch (error) {
      this.fail(error)
    } finally {
      this.response.removeListener('close', abort)
    }
  }

  private async attempt(pool: Pool, request: UpstreamRequest): Promise<void> {
    const deadline = setTimeout(() => {
      this.late = true
      this.signal.emit('abort')
    }, HEAD_DEADLINE)
    const send = () =>
      pool.stream({ ...request, signal: this.signal }, (answer) => {
        clearTimeout(deadline)
        return this.accept(answer)
      })
    try {
      await send().catch((error: unknown) => (this.mayRepeat(request, error) ? send() : Promise.reject(error)))
    } finally {
      clearTimeout(deadline)
    }
  }

  private accept({ statusCode, headers }: Answer): Writable {
    this.status = statusCode
    if (statusCode === UNTRUSTED) return discard()
    return this.response.writeHead(statusCode, responseHeaders(headers, this.correlationId))
  }

  private mayRepeat({ method }: UpstreamRequest, error: unknown): boolean {
    const { code } = error as { code?: string }
    return method === 'GET' && this.status === 0 && !this.late && CONNECTION_FAILURES.has(code ?? '')
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
    const body = JSON.stringify(refusal.body(this.correlationId))
    const headers = { ...answerHeaders(this.correlationId, refusal), 'content-length': Buffer.byteLength(body) }
    this.status = refusal.status
    this.response.writeHead(refusal.status, headers).end(body)
  }
}

const unavailable = (): ServiceError =>
  new ServiceError('service_unavailable', 'This part of the service is briefly unavailable; try again with back-off.', {
    retryAfterSeconds: 2,
  })

const timedOut = (): ServiceError =>
  new ServiceError('upstream_timeout', 'The service did not answer in time; try again with back-off.')
