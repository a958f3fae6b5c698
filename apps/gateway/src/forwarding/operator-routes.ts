import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import {
  AUDIT_ENTRY_HEADER,
  CORRELATION_HEADER,
  IDENTITY_HEADER,
  type OperatorIdentity,
} from '@connectivity/contracts/identity'
import { type ForwardedOperation, forwardedOperations, OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { pathOf } from '@connectivity/contracts/request-target'
import { IDENTITY_LIFETIME, signIdentity } from '@connectivity/service-kit/identity-token'
import { LOGGER, type Logger } from '@connectivity/service-kit/logging'
import { TRACEPARENT_HEADER, traceparentOf } from '@connectivity/service-kit/trace-context'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AuditArrivals } from '../audit/audit-arrivals.js'
import { GATEWAY_CONFIG, type GatewayConfig } from '../config.js'
import { LiveConnections } from '../connections/live-connections.js'
import { isId, unknown } from '@connectivity/service-kit/operators-page'
import { Exchange, type Place, type TakeAnswer } from './exchange.js'
import { HeldAnswer } from './held-answer.js'
import { requestHeaders } from './public-headers.js'
import { Upstreams } from './upstreams.js'

/** Operators have connections of their own to each service, so nobody has to make room for them. */
const ROOM_ENOUGH: Place = { enter: () => null, leave: () => undefined }

/** What operators see and change elsewhere: passed on to the service that owns it, once the door has let them in. */
@Injectable()
export class OperatorRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly connections: LiveConnections,
    private readonly upstreams: Upstreams,
    private readonly arrivals: AuditArrivals,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
    @Inject(LOGGER) private readonly log: Logger,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    void fastify.register(async (routes) => {
      // The bytes as they are: reading them is the owner's business.
      routes.removeAllContentTypeParsers()
      routes.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) => body)
      for (const operation of forwardedOperations) {
        const url = OPERATORS_PATH + operation.path.replaceAll('{id}', ':id')
        routes.route({ method: operation.method, url, handler: (...each) => this.forward(operation, ...each) })
      }
    })
  }

  private async forward({ owner }: ForwardedOperation, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.checkConnection((request.params as { id: string }).id)
    reply.hijack()
    const { record, originalUrl: path, id } = request
    record.fields.upstream = owner
    const method = request.method === 'HEAD' ? 'GET' : (request.method as ForwardedOperation['method'])
    const identity: OperatorIdentity = {
      aud: owner,
      exp: Math.floor(Date.now() / 1000) + IDENTITY_LIFETIME,
      operator: request.operator.subject,
      method,
      path: pathOf(path),
      correlation_id: id,
    }
    const headers = {
      ...requestHeaders(request.headers),
      [IDENTITY_HEADER]: signIdentity(this.config.IDENTITY_KEYS[owner], identity),
      [CORRELATION_HEADER]: id,
      [TRACEPARENT_HEADER]: traceparentOf(record.trace),
    }
    const take: TakeAnswer = (status, head, internal) => this.take(reply.raw, status, head, internal)
    const exchange = new Exchange(reply.raw, { id, service: owner, limitHeaders: undefined, record }, take)
    const body = method === 'GET' ? null : ((request.body as Buffer | undefined) ?? null)
    await exchange.run(this.upstreams.forOperators(owner), { method, path, headers, body }, ROOM_ENOUGH)
    if (exchange.failure)
      this.log.warn({ err: exchange.failure, service: owner, correlation_id: id }, 'service gave no proper answer')
  }

  /** Owners hear of new connections a moment later; what is unknown here is unknown for good. */
  private async checkConnection(id: string): Promise<void> {
    if (!isId(id) || (await this.connections.get(id)) === null) throw unknown('connection')
  }

  /** A change is answered once its audit entry can be read here. */
  private take(response: ServerResponse, ...[status, head, internal]: Parameters<TakeAnswer>): Writable {
    const entryId = internal[AUDIT_ENTRY_HEADER]
    if (typeof entryId !== 'string') return response.writeHead(status, head)
    return new HeldAnswer(this.arrivals.waitFor(entryId), (body) => {
      if (!response.destroyed) response.writeHead(status, head).end(body)
    })
  }
}
