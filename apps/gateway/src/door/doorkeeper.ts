import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DocumentationDoor } from '../documentation/documentation-door.js'
import { isDocumentation } from '../documentation/documentation-path.js'
import { closeAfterAnswer, isClosing } from '../listeners/lingering-close.js'
import { isPrivate } from '../listeners/listeners.js'
import { OperatorAccess } from '../operators/operator-access.js'
import { Door } from './door.js'
import { checkAnnouncedSize, readRawBody } from './raw-body.js'
import { checkRequestLine } from './request-line.js'

/** The one hook that every request of either listener passes before anything else. */
@Injectable()
export class Doorkeeper implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly door: Door,
    private readonly documentation: DocumentationDoor,
    private readonly operators: OperatorAccess,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorateRequest('caller')
    fastify.decorateRequest('rawBody')
    fastify.decorateRequest('operator')
    fastify.decorateRequest('operatorIdentity')
    fastify.decorateRequest('limitHeaders')
    fastify.addHook('onRequest', (request, reply) => this.receive(request, reply))
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header(CORRELATION_HEADER, request.id).header('cache-control', 'private, no-store')
    // It came behind a request whose answer was the connection's last.
    if (isClosing(request.raw.socket)) return void reply.hijack()
    try {
      checkRequestLine(request.raw)
      checkAnnouncedSize(request.raw)
      // Fastify reads operators' bodies, after they have shown their token.
      if (!isPrivate(request.raw)) request.rawBody = await readRawBody(request.raw, reply.raw)
    } catch (error) {
      closeAfterAnswer(request.raw, reply.raw)
      throw error
    }
    if (isPrivate(request.raw)) return this.operators.admit(request)
    await (isDocumentation(request.originalUrl) ? this.documentation : this.door).admit(request, reply)
  }
}
