import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
import { ERROR_CODE_HEADER } from '@connectivity/service-kit/request-record'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { AuditArrivals } from '../audit/audit-arrivals.js'

/**
 * The gateway is also a service with dead letters of its own: what services say to the gateway alone is taken out of
 * its own answers, and a change is answered once its audit entry can be read.
 */
@Injectable()
export class OwnChanges implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly arrivals: AuditArrivals,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.addHook('onSend', (_request, reply, _payload, done) => {
      this.settled(reply).then(
        () => done(),
        () => done(),
      )
    })
  }

  private async settled(reply: FastifyReply): Promise<void> {
    const entryId = reply.getHeader(AUDIT_ENTRY_HEADER)
    reply.removeHeader(AUDIT_ENTRY_HEADER)
    reply.removeHeader(ERROR_CODE_HEADER)
    if (typeof entryId === 'string') await this.arrivals.waitFor(entryId)
  }
}
