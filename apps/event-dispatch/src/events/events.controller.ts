import { Controller, Get, Req, Res } from '@nestjs/common'
import { ServiceError } from '@connectivity/contracts/errors'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { NOTHING_NEW_HEADER } from '@connectivity/contracts/waiting'
import { addressedConnection } from '@connectivity/service-kit/addressed-connection'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { EventCursor, type EventPosition } from './event-cursor.service.js'
import { EventIndexStore, type IndexHead } from './event-index.store.js'
import { cutEvents, type EventEntry, eventPageText, eventText } from './event-page.js'
import { type EventQuery, parseEventQuery } from './event-query.js'

/** GET /reservations/events: the events of the last 30 days, oldest first. */
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
    addressedConnection(request.identity, connectionId)
    const position = this.position(query)
    const head = await this.store.head(connectionId)
    checkNotDropped(query, head)
    const entries = await this.store.entries(connectionId, position.filter, position.after, query.limit + 1)
    const { page, hasMore } = cutEvents(entries, query.limit)
    const events = await this.texts(connectionId, page, head)
    const next = { filter: position.filter, after: page.at(-1)?.sequence ?? 0 }
    const next_cursor = hasMore ? this.cursors.seal(connectionId, next) : null
    const pagination = { limit: query.limit, count: events.length, has_more: hasMore, next_cursor }
    if (page.length === 0) void reply.header(NOTHING_NEW_HEADER, '1')
    void reply
      .headers({
        'content-type': 'application/json; charset=utf-8',
        'cache-control': 'private, no-store',
        [CORRELATION_HEADER]: request.id,
      })
      .send(eventPageText(connectionId, events, pagination))
  }

  /** Parameters given with a cursor apply too: a filter replaces the cursor's own, and the later position counts. */
  private position({ connectionId, status, afterSequence, cursor }: EventQuery): EventPosition {
    const { filter, after } =
      cursor === null ? { filter: 'all' as const, after: 0 } : this.cursors.open(connectionId, cursor)
    return { filter: status ?? filter, after: Math.max(after, afterSequence ?? 0) }
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

/** Refuses a sequence whose next events were dropped. Readers without `after_sequence` are not affected. */
function checkNotDropped({ afterSequence }: EventQuery, { droppedSequence }: IndexHead): void {
  if (afterSequence === null || afterSequence >= droppedSequence) return
  const message =
    'Events after this sequence are older than 30 days and were dropped; pull GET /reservations from your checkpoint, ' +
    `then go on with after_sequence=${droppedSequence}.`
  throw new ServiceError('events_expired', message)
}
