import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type {} from '@connectivity/mutations'
import { ERROR_CODE_HEADER } from '@connectivity/service-kit/http'
import type { FastifyInstance } from 'fastify'
import { AuditStore } from './audit.store.js'

/**
 * Serves the gateway's own dead letters: writes operators' changes of them directly to the audit. Strips the internal
 * error-code header.
 */
@Injectable()
export class OwnChanges implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly audit: AuditStore,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorate('keepOperatorChange', (tx, entry) => this.audit.keep(tx, [entry]))
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      reply.removeHeader(ERROR_CODE_HEADER)
      done()
    })
  }
}
