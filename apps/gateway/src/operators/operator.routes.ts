import { hash } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { ServiceError } from '@connectivity/contracts/errors'
import {
  AUDIT_ENTRY_BYTES_HEADER,
  type ServiceName,
  services,
  TAKES_AUDIT_ENTRY_HEADER,
} from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY } from '@connectivity/contracts/idempotency-key'
import { type ForwardedOperation, forwardedOperations, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { type Logger, LOGGER } from '@connectivity/service-kit/logging'
import { isId } from '@connectivity/service-kit/text'
import { notFound } from '@connectivity/service-kit/operators'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AuditEntries } from '../registry/audit/audit-entries.service.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { LiveConnections } from '../live/live-connections.service.js'
import { AnswerMemory } from '../forwarding/answers/answer-memory.service.js'
import { AppliedCatalogs } from '../forwarding/exchange/applied-catalogs.client.js'
import { Exchange, FAILED, type TakeAnswer } from '../forwarding/exchange/exchange.js'
import { AuditedAnswer } from './audited-answer.js'
import { operatorCaller, operatorName } from '../forwarding/exchange/service-caller.js'
import { identify, operatorClaims } from '../forwarding/exchange/identity.js'
import { requestHeaders } from '../forwarding/exchange/public-headers.js'
import { Upstreams } from '../forwarding/exchange/upstreams.service.js'

/** Forwards operators' calls about other services to the service that owns them. */
@Injectable()
export class OperatorRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly connections: LiveConnections,
    private readonly upstreams: Upstreams,
    private readonly memory: AnswerMemory,
    private readonly audit: AuditEntries,
    private readonly appliedCatalogs: AppliedCatalogs,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      // Pass on the raw bytes: parsing is the owner's task.
      routes.removeAllContentTypeParsers()
      routes.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
      for (const operation of forwardedOperations) {
        const url = OPERATORS_PATH + operation.path.replace(/\{([^{}]+)\}/g, ':$1')
        routes.route({ method: operation.method, url, handler: (...each) => this.forward(operation, ...each) })
      }
    })
  }

  private async forward(operation: ForwardedOperation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const owner = await this.ownerOf(operation, request.params as Record<string, string>)
    reply.hijack()
    const { record, originalUrl: path, id } = request
    record.fields.upstream = owner
    const { method } = operation
    const body = method === 'GET' ? null : ((request.body as Buffer | undefined) ?? null)
    const headers = requestHeaders(request.headers)
    headers[TAKES_AUDIT_ENTRY_HEADER] = 'yes'
    const idempotencyKey = headers[IDEMPOTENCY_KEY.toLowerCase()]
    const identified = { method, target: path, idempotencyKey, bodyHash: body ? hash('sha256', body) : undefined }
    identify(headers, this.config.IDENTITY_KEYS, operatorClaims(request, owner), identified)
    const take: TakeAnswer = (...answer) => this.take(request, reply.raw, ...answer)
    const forwarded = { id, service: owner, applicationId: operatorName(request), addedHeaders: undefined, record }
    const exchange = new Exchange(reply.raw, forwarded, this.memory, take)
    await exchange.run(this.upstreams.of('operators', owner), { method, path, headers, body })
    if (exchange.failure) this.log.warn({ err: exchange.failure, service: owner, correlation_id: id }, FAILED)
  }

  /**
   * Returns the owning service. Checks connections here, since owners receive new connections only a moment later.
   * @throws ServiceError 404 for an unknown service or connection
   */
  private async ownerOf({ owner }: ForwardedOperation, named: Record<string, string>): Promise<ServiceName> {
    const { id, service } = named
    const isKnown = id === undefined || (isId(id) && (await this.connections.get(id)) !== null)
    if (owner !== null && !isKnown) throw notFound('connection')
    const found = owner ?? services.find((one) => one === service)
    if (found === undefined)
      throw new ServiceError('not_found', `There is no service with this name; look it up in the list.`)
    return found
  }

  /** Answers a change once its audit entry, which precedes the body, is stored, and ARI applies its catalog. */
  private take(
    request: FastifyRequest,
    response: ServerResponse,
    ...[status, head, internal]: Parameters<TakeAnswer>
  ): Writable {
    const entryBytes = internal[AUDIT_ENTRY_BYTES_HEADER]
    if (typeof entryBytes !== 'string') return response.writeHead(status, head)
    const applied = this.appliedCatalogs.until(internal, response, () => {
      const { id: connectionId } = request.params as { id: string }
      return { caller: operatorCaller(request), connectionId, base: OPERATORS_PATH }
    })
    const keep = async (entry: Buffer) => {
      const about = { service: request.record.fields.upstream, correlation_id: request.id }
      await this.audit
        .keep(entry)
        .catch((err: unknown) => this.log.warn({ err, ...about }, 'an audit entry was not stored with the answer'))
      await applied
    }
    return new AuditedAnswer(Number(entryBytes), keep, (body) => {
      if (response.destroyed || response.headersSent) return
      response.writeHead(status, { ...head, 'content-length': body.length }).end(body)
    })
  }
}
