import { Controller, Get, Req } from '@nestjs/common'
import { invalidParameter } from '@connectivity/contracts/errors'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { parseTimestamp } from '@connectivity/contracts/time'
import type { FastifyRequest } from 'fastify'
import { pageOf, readFilters, readPage } from '@connectivity/service-kit/operators'
import { presentEntry } from './audit-entry.view.js'
import { AuditStore } from './audit.store.js'

/** Lists operators' changes with actor and reason. */
@Controller(`${OPERATORS_PATH}/audit`)
export class AuditController {
  constructor(private readonly audit: AuditStore) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<object> {
    const { subject, actor, from, to } = readFilters(request, 'subject', 'actor', 'from', 'to')
    const filter = { subject, actor, from: readTime('from', from), to: readTime('to', to) }
    const page = readPage(request, 'audit', filter)
    return pageOf('entries', await this.audit.list(filter, page), page, ({ id }) => id, presentEntry)
  }
}

function readTime(name: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const time = parseTimestamp(text)
  if (time !== null) return new Date(time)
  throw invalidParameter(name, 'malformed', `${name} must be an ISO 8601 timestamp with zone; write + as %2B.`)
}
