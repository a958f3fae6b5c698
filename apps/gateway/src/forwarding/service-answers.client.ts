import { EventEmitter } from 'node:events'
import { Injectable } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { RequestRecord } from '@connectivity/service-kit/request-record'
import type { Pool } from 'undici'
import { ForwardingSpan } from './forwarding-span.js'
import type { Upstream } from './upstreams.service.js'

/** A request to a service whose answer the gateway needs for its own answer. */
export interface ServiceRequest {
  service: ServiceName
  method: 'GET' | 'POST'
  /** Path and query. */
  path: string
  /** Headers that identify the caller and describe the body. */
  headers: Record<string, string>
  body: string | null
  /** Longest wait for a place at the service and the answer, ms. */
  timeout: number
  /** The application or operator whose places the request uses. */
  caller: string
}

/** An answer of a service: the JSON of its body, unchecked, because the services are ours. */
export interface ServiceAnswer {
  status: number
  json: unknown
}

/** Asks services for data of the gateway's own answers. */
@Injectable()
export class ServiceAnswers {
  /** @throws Error when the service does not answer in time */
  async ask({ pool, queue }: Upstream, request: ServiceRequest, { trace }: RequestRecord): Promise<ServiceAnswer> {
    const { caller, timeout } = request
    const signal = new EventEmitter()
    const timer = setTimeout(() => signal.emit('abort'), timeout)
    try {
      await queue.enter(caller, signal)
      return await exchange(pool, request, { signal, trace }).finally(() => queue.leave(caller))
    } finally {
      clearTimeout(timer)
    }
  }
}

async function exchange(
  pool: Pool,
  { service, method, path, headers, body }: ServiceRequest,
  { signal, trace }: Pick<RequestRecord, 'trace'> & { signal: EventEmitter },
): Promise<ServiceAnswer> {
  const forwarding = new ForwardingSpan(trace, service, { method, headers })
  let status = 0
  try {
    const answer = await pool.request({ method, path, headers, body, signal })
    status = answer.statusCode
    const text = await answer.body.text()
    return { status, json: text === '' ? null : (JSON.parse(text) as unknown) }
  } finally {
    forwarding.end(status)
  }
}
