import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isPrivate } from '../listeners/listeners.js'
import { OperatorAccess } from '../operators/operator-access.js'
import { Door } from './door.js'

/** The one hook that every request of either listener passes before anything else. */
@Injectable()
export class Doorkeeper implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly door: Door,
    private readonly operators: OperatorAccess,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorateRequest('caller')
    fastify.decorateRequest('rawBody')
    fastify.decorateRequest('operator')
    fastify.decorateRequest('limitHeaders')
    fastify.addHook('onRequest', (request, reply) => this.receive(request, reply))
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header(CORRELATION_HEADER, request.id).header('cache-control', 'private, no-store')
    await (isPrivate(request.raw) ? this.operators.admit(request) : this.door.admit(request, reply))
  }
}
