import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import type {} from '@connectivity/mutations'
import type { FastifyInstance } from 'fastify'
import { AuditStore } from './audit.store.js'

/** Writes the audit entries of the gateway's own changes in their transaction. */
@Injectable()
export class OwnChanges implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly audit: AuditStore,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.decorate('keepOperatorChange', (tx, entry) => this.audit.keep(tx, [entry]))
  }
}
