import { Inject, Injectable } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { ForwardingSpan } from '../forwarding/forwarding-span.js'
import { identityHeaders } from './operator-identity.js'
import { Upstreams } from '../forwarding/upstreams.service.js'

/** A request to a service whose answer the gateway needs for its own answer to an operator. */
export interface Question {
  method: 'GET' | 'POST'
  /** With query. */
  path: string
  body?: object
  /** Longest wait for the answer, ms. */
  timeout: number
}

/** Calls services on behalf of the operator whose request is being answered. */
@Injectable()
export class ServiceQuestions {
  constructor(
    private readonly upstreams: Upstreams,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * @returns the JSON of the answer, unchecked: the services are ours
   * @throws Error when the service does not answer 200 in time
   */
  async ask(request: FastifyRequest, service: ServiceName, question: Question) {
    const { method, path, timeout } = question
    const body = question.body === undefined ? null : JSON.stringify(question.body)
    const key = this.config.IDENTITY_KEYS[service]
    const headers: Record<string, string> = {
      ...identityHeaders(request, { service, key, method, path, body }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    }
    const forwarding = new ForwardingSpan(request.record.trace, service, { method, headers })
    let status = 0
    try {
      const answer = await this.upstreams.forOperators(service).pool.request({
        method,
        path,
        headers,
        body,
        signal: AbortSignal.timeout(timeout),
      })
      status = answer.statusCode
      const text = await answer.body.text()
      if (status !== 200) throw new Error(`${service} answered ${status}`)
      return JSON.parse(text) as unknown
    } finally {
      forwarding.end(status)
    }
  }
}
