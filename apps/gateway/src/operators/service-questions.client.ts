import { Inject, Injectable } from '@nestjs/common'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { FastifyRequest } from 'fastify'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { type ServiceAnswer, ServiceAnswers, type ServiceRequest } from '../forwarding/service-answers.client.js'
import { callerOf, identityHeaders } from './operator-identity.js'
import { Upstreams } from '../forwarding/upstreams.service.js'

/** A request to a service whose answer the gateway needs for its own answer to an operator. */
export type Question = Pick<ServiceRequest, 'method' | 'path' | 'timeout'> & { body?: object }

/** Calls services on behalf of the operator whose request is being answered. */
@Injectable()
export class ServiceQuestions {
  constructor(
    private readonly upstreams: Upstreams,
    private readonly answers: ServiceAnswers,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  /**
   * @returns the JSON of the answer, unchecked: the services are ours
   * @throws Error when the service does not answer 200 in time
   */
  async ask(request: FastifyRequest, service: ServiceName, question: Question): Promise<unknown> {
    const { status, json } = await this.answer(request, service, question)
    if (status !== 200) throw new Error(`${service} answered ${status}`)
    return json
  }

  /** @throws Error when the service does not answer in time */
  answer(request: FastifyRequest, service: ServiceName, question: Question): Promise<ServiceAnswer> {
    const { method, path, timeout } = question
    const body = question.body === undefined ? null : JSON.stringify(question.body)
    const key = this.config.IDENTITY_KEYS[service]
    const headers = {
      ...identityHeaders(request, { service, key, method, path, body }),
      ...(body === null ? {} : { 'content-type': 'application/json' }),
    }
    const asked = { service, method, path, headers, body, timeout, caller: callerOf(request) }
    return this.answers.ask(this.upstreams.forOperators(service), asked, request.record)
  }
}
