import { hash } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { Inject, Injectable } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { TraceContext } from '@connectivity/service-kit/tracing'
import type { Pool } from 'undici'
import { GATEWAY_CONFIG, type GatewayConfig } from '../../config.js'
import type { ServiceCaller } from './service-caller.js'
import { ForwardingSpan } from './forwarding-span.js'
import { identify } from './identity.js'
import { Upstreams } from './upstreams.service.js'

/** A request to a service whose answer the gateway needs for its own answer: GET, or POST with a body. */
export interface Question {
  /** Path and query. */
  path: string
  body?: object
  /** Longest wait for a place at the service and the answer, ms. */
  timeout: number
}

/** An answer of a service: the JSON of its body, unchecked, because the services are ours. */
export interface ServiceAnswer {
  status: number
  json: unknown
}

/** Asks services for data of the gateway's own answers. */
@Injectable()
export class ServiceQuestions {
  constructor(
    private readonly upstreams: Upstreams,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'IDENTITY_KEYS'>,
  ) {}

  /**
   * @returns the JSON of the answer
   * @throws Error when the service does not answer 200 in time
   */
  async read(caller: ServiceCaller, service: ServiceName, question: Question): Promise<unknown> {
    const { status, json } = await this.ask(caller, service, question)
    if (status !== 200) throw new Error(`${service} answered ${status}`)
    return json
  }

  /** @throws Error when the service does not answer in time */
  async ask(caller: ServiceCaller, service: ServiceName, question: Question): Promise<ServiceAnswer> {
    const { pool, queue } = this.upstreams.of(caller.side, service)
    const { name, trace } = caller
    const request = this.requestFor(caller, service, question)
    const signal = new EventEmitter()
    const timer = setTimeout(() => signal.emit('abort'), question.timeout)
    try {
      await queue.enter(name, signal)
      return await exchange(pool, service, { ...request, signal }, trace).finally(() => queue.leave(name))
    } finally {
      clearTimeout(timer)
    }
  }

  private requestFor(caller: ServiceCaller, service: ServiceName, question: Question): Request {
    const { path } = question
    const method = question.body === undefined ? 'GET' : 'POST'
    const body = question.body === undefined ? null : JSON.stringify(question.body)
    const headers: Record<string, string> = body === null ? {} : { 'content-type': 'application/json' }
    const bodyHash = body === null ? undefined : hash('sha256', body)
    identify(headers, this.config.IDENTITY_KEYS, caller.claims(service), { method, target: path, bodyHash })
    return { method, path, headers, body }
  }
}

interface Request {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body: string | null
}

async function exchange(
  pool: Pool,
  service: ServiceName,
  request: Request & { signal: EventEmitter },
  trace: TraceContext,
): Promise<ServiceAnswer> {
  const forwarding = new ForwardingSpan(trace, service, request)
  let status = 0
  try {
    const answer = await pool.request(request)
    status = answer.statusCode
    const text = await answer.body.text()
    return { status, json: text === '' ? null : (JSON.parse(text) as unknown) }
  } finally {
    forwarding.end(status)
  }
}
