import { Controller, Get, Param, Req } from '@nestjs/common'
import { OPERATORS_PATH } from '@connectivity/contracts/operators-api'
import { isId } from '@connectivity/service-kit/text'
import { notFound, pageOf, readPage } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'
import { ProblemListStore } from './problem-list.store.js'

/** A place in the list: the row's stamp, ms since the epoch. */
const isStamp = (text: string): boolean => /^\d{1,15}$/.test(text)

/** GET /ops/v1/connections/{id}/problems: reservations that cannot be shown, and why, newest first. */
@Controller(`${OPERATORS_PATH}/connections`)
export class ProblemListController {
  constructor(private readonly problems: ProblemListStore) {}

  @Get(':connectionId/problems')
  async list(@Param('connectionId') connectionId: string, @Req() request: FastifyRequest): Promise<object> {
    const page = readPage(request, `connections/${connectionId}/problems`, {}, isStamp)
    if (!isId(connectionId) || !(await this.problems.isKnown(connectionId))) throw notFound('connection')
    const rows = await this.problems.list(connectionId, page)
    return pageOf(
      'problems',
      rows,
      page,
      ({ updated_at }) => String(Date.parse(updated_at)),
      ({ reservation_id, updated_at, message, details }) => ({ reservation_id, updated_at, message, details }),
    )
  }
}
