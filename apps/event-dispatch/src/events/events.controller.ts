import { Controller, Get, Req, Res } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import type { EventOrder } from '@connectivity/contracts/event-index'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { addressedConnection } from '@connectivity/service-kit/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EventCursor, type EventPosition } from './event-cursor.service.js'
import { type EventEntry, EventIndexStore, type EventRange, type IndexHead } from './event-index.store.js'
import { cutEvents, eventPageText, eventText } from './event-page.view.js'
import { checkNotDropped, type EventQuery, parseEventQuery } from './event-query.js'

/** GET /reservations/events: the index of events, oldest first by default. */
@Controller(`${BASE_PATH}/reservations/events`)
export class EventsController {
  constructor(
    private readonly store: EventIndexStore,
    private readonly cursors: EventCursor,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = parseEventQuery(request.url)
    const { connectionId } = query
    addressedConnection(request, connectionId)
    const position = this.position(query)
    const head = await this.store.head(connectionId)
    checkNotDropped(query, head)
    const entries = await this.store.entries(connectionId, rangeOf(position, query), head, query.limit + 1)
    const { page, hasMore } = cutEvents(entries, query.limit)
    const events = await this.texts(connectionId, page, head)
    const next_cursor = hasMore ? this.cursors.seal(connectionId, { ...position, last: page.at(-1)!.sequence }) : null
    const pagination = { limit: query.limit, count: events.length, has_more: hasMore, next_cursor }
    if (page.length === 0) void reply.header(NOTHING_NEW_HEADER, '1')
    void reply.type('application/json; charset=utf-8').send(eventPageText(connectionId, events, pagination))
  }

  /**
   * A filter given with a cursor replaces the cursor's own.
   * @throws ServiceError `invalid_cursor` when the cursor is of another order or state
   */
  private position({ connectionId, status, state, order, afterSequence, cursor }: EventQuery): EventPosition {
    if (cursor === null) return { ...firstPosition(order ?? 'asc', afterSequence), filter: status ?? 'all', state }
    const before = this.cursors.open(connectionId, cursor)
    if (differs(order, before.order) || differs(state, before.state)) throw otherSelection()
    return { ...before, filter: status ?? before.filter }
  }

  private async texts(connectionId: string, page: readonly EventEntry[], head: IndexHead): Promise<string[]> {
    const bodies = await this.store.bodies(
      connectionId,
      page.map(({ sequence }) => sequence),
    )
    return page.flatMap((entry) => {
      const body = bodies.get(entry.sequence)
      return body === undefined ? [] : [eventText(body, entry, head)]
    })
  }
}

/** Only a list in descending order needs its lower bound again. */
const firstPosition = (order: EventOrder, afterSequence: number | null) => ({
  order,
  last: 0,
  after: order === 'desc' ? (afterSequence ?? 0) : 0,
})

const differs = (given: string | null, before: string | null): boolean => given !== null && given !== before

const otherSelection = (): ServiceError =>
  new ServiceError('invalid_cursor', 'The cursor belongs to another order or state; start without it.')

/** The remaining range of sequences; with `after_sequence` the later bound counts. */
function rangeOf({ last, after: bound, ...selection }: EventPosition, { afterSequence }: EventQuery): EventRange {
  const given = Math.max(bound, afterSequence ?? 0)
  if (selection.order === 'asc') return { ...selection, after: Math.max(last, given), before: null }
  return { ...selection, after: given, before: last === 0 ? null : last }
}
