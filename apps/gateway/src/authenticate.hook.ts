import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { MAX_BODY_BYTES } from '@connectivity/contracts/partner-api'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DocumentationAdmission } from './partner/documentation/documentation-admission.service.js'
import { isDocumentation } from './http/documentation-path.js'
import { closeAfterAnswer } from './http/lingering-close.js'
import { isPrivate } from './http/listeners.js'
import { OperatorAccess } from './operators/operator-access.service.js'
import { Admission } from './admission/admission.service.js'
import { checkAnnouncedSize, dropBody, holdBody, isUnread } from './http/raw-body.service.js'
import { resolvePartnerRequest } from './http/partner-request.js'
import { checkRequestLine } from './http/request-line.js'

/** The first hook of every request, on both listeners. */
@Injectable()
export class AuthenticateHook implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly admission: Admission,
    private readonly documentation: DocumentationAdmission,
    private readonly operators: OperatorAccess,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorateRequest('partner')
    fastify.decorateRequest('operatorIdentity')
    fastify.addHook('onRequest', (request, reply) => this.receive(request, reply))
  }

  private async receive(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    reply.header(CORRELATION_HEADER, request.id).header('cache-control', 'private, no-store')
    this.checkLine(request, reply)
    if (isPrivate(request.raw)) return this.operators.admit(request)
    const partner = resolvePartnerRequest(request, reply)
    request.partner = partner
    holdBody(partner)
    try {
      await (isDocumentation(partner.target) ? this.documentation : this.admission).admit(partner)
    } catch (error) {
      if (isUnread(request.raw)) closeAfterAnswer(request.raw, reply.raw)
      throw dropBody(partner) ?? error
    }
  }

  /** Fastify reads operators' bodies after their token has been checked. */
  private checkLine({ raw }: FastifyRequest, reply: FastifyReply): void {
    try {
      checkRequestLine(raw)
      if (isPrivate(raw)) checkAnnouncedSize(raw, MAX_BODY_BYTES)
    } catch (error) {
      closeAfterAnswer(raw, reply.raw)
      throw error
    }
  }
}
