import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
import { sendAlong } from '@connectivity/database/database'
import type {} from '@connectivity/database/operator-change'
import { ERROR_CODE_HEADER } from '@connectivity/service-kit/request-record'
import type { FastifyInstance } from 'fastify'
import { AuditStore } from './audit.store.js'

/**
 * The gateway is also a service with dead letters of its own: operators' changes of them go directly into the audit,
 * and headers that services send to the gateway only are removed from its own answers.
 */
@Injectable()
export class OwnChanges implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly audit: AuditStore,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorate('keepOperatorChange', (tx, entry) => sendAlong(tx, this.audit.keep(tx, [entry])))
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      reply.removeHeader(AUDIT_ENTRY_HEADER)
      reply.removeHeader(ERROR_CODE_HEADER)
      done()
    })
  }
}
