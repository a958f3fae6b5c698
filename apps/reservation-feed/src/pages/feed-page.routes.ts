import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { EVIDENCE_HEADER, NO_BODY_HEADER } from '@connectivity/contracts/evidence'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SERVED_PAGE_HEADER } from '@connectivity/contracts/request-log'
import { formatTimestamp } from '@connectivity/contracts/time'
import { LOOK_HEADER, NOTHING_NEW_HEADER, ONLY_NEWS, UNTIL_CHANGE } from '@connectivity/contracts/waiting'
import { WatchedLog } from '@connectivity/kafka/topics'
import { addressedConnection, partnerOf } from '@connectivity/service-kit/identity'
import { matchesTag } from '@connectivity/service-kit/http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { PollProgress } from '../progress/poll-progress.service.js'
import { cutPage, pageBody } from './feed-page.js'
import { servable } from './feed-refusals.js'
import { FeedPageStore, type HeadAndRows, type PageHead, type PageRow } from './feed-page.store.js'
import { PageCursor } from './page-cursor.service.js'
import { evidenceOf, type ServedPage } from './page-evidence.js'
import { type PageQuery, parsePageQuery } from './page-query.js'
import { PageTurns } from './page-turns.service.js'

/** Header with the lag of the feed behind the log of bookings. */
const LAG_HEADER = 'service-lag-ms'

/** Bounds on stamps that a pull asks for. */
interface PageBounds {
  /** Last stamp that is not after the pull's own lower bound, which its cursors keep. */
  since: number
  /** First stamp that this page may contain. */
  from: number
}

/** A request for a page. */
interface Pull {
  query: PageQuery
  bounds: PageBounds
  connection: ReturnType<typeof addressedConnection>
}

/** Result of a read of the feed. */
interface Look {
  head: PageHead
  /** Greatest stamp of the page; null on an empty one. */
  last: number | null
  /** Whether the page has rows that the client does not have. */
  isNews: boolean
}

/** Whether pages count as evidence for the pilot. */
const isGraded = ({ connection }: Pull): boolean => connection.state !== 'production'

/**
 * Age of the last stamp from which an answer may be repeated, ms: longer than a notification can be late. A change of
 * which the gateway has not been notified then has a much later stamp, and a client that has it asks from there.
 */
const SETTLED = 15_000

/** Identifies what a page shows: the property's code, `count` rows up to the checkpoint, and whether more follow. */
const tagOf = ({ codeHash }: PageHead, checkpoint: number, count: number, hasMore: boolean): string =>
  `W/"${codeHash}-${checkpoint}-${count}-${hasMore ? 1 : 0}"`

/**
 * GET /reservations: a Fastify route rather than a Nest handler, because it is the one path that every partner polls
 * and the framework's pipes and interceptors would cost as much as the page itself.
 */
@Injectable()
export class FeedPageRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly store: FeedPageStore,
    private readonly cursors: PageCursor,
    private readonly turns: PageTurns,
    private readonly progress: PollProgress,
    private readonly log: WatchedLog,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(`${BASE_PATH}/reservations`, (request, reply) => this.page(request, reply))
  }

  private async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const query = parsePageQuery(request.url)
    const connection = addressedConnection(request, query.connectionId)
    const pull = { query, connection, bounds: this.bounds(query) }
    const head = await this.headWithoutRows(pull)
    if (head === undefined) await this.turns.take(query.connectionId, () => this.pageWithRows(pull, request, reply))
    else await this.answer({ head, rows: [] }, pull, request, reply)
    return reply
  }

  /**
   * Reads the head only, which is enough for most polls: those for changes later than a known stamp.
   * @returns undefined when the rows must be read together with the head, as for cursors and pulls without a bound
   */
  private async headWithoutRows({ query, bounds }: Pull): Promise<PageHead | null | undefined> {
    if (query.cursor !== null || bounds.from === 0) return undefined
    const head = await this.store.head(query.connectionId)
    return head?.state === 'live' && bounds.from <= head.lastStamp ? undefined : head
  }

  private async pageWithRows(pull: Pull, request: FastifyRequest, reply: FastifyReply): Promise<number> {
    const { connectionId, limit } = pull.query
    const withHistory = isGraded(pull)
    const read = await this.store.headAndRows(connectionId, { from: pull.bounds.from, limit: limit + 1, withHistory })
    return this.answer(read, pull, request, reply)
  }

  /** @returns bytes of the page; 0 when the client already has it */
  private async answer(read: HeadAndRows, pull: Pull, request: FastifyRequest, reply: FastifyReply): Promise<number> {
    const { query, bounds } = pull
    const { connectionId, limit } = query
    const head = headOf(read, reply)
    const { page, hasMore } = cutPage(read.rows, limit)
    const last = page.at(-1)?.stamp ?? null
    const checkpoint = last ?? head.lastStamp
    const tag = tagOf(head, checkpoint, page.length, hasMore)
    this.setHeaders(reply, tag, checkpoint)
    const isKnown = matchesTag(request.headers['if-none-match'], tag)
    this.noteLook(pull, { head, last, isNews: last !== null && !isKnown }, request, reply)
    if (isKnown) {
      void reply.status(304).send()
      return 0
    }
    const nextCursor = hasMore ? this.cursors.seal(connectionId, { since: bounds.since, after: checkpoint }) : null
    nameRows(reply, page)
    const complete = await this.store.withBodies(connectionId, page)
    const served = { head, since: bounds.since, isBounded: query.updatedSince !== null, page: complete, hasMore }
    if (isGraded(pull)) nameEvidence(reply, served)
    const body = pageBody({ ...query, externalPropertyId: head.externalPropertyId, page: complete, nextCursor })
    void reply.send(body)
    return body.length
  }

  /**
   * Notes the poll, and tells the gateway when there is nothing new. The gateway may then hold the answer back for a
   * request that waits, whose poll is not noted yet. It may repeat the answer if further polls like this one would
   * leave nothing to note.
   */
  private noteLook(pull: Pull, { head, last, isNews }: Look, request: FastifyRequest, reply: FastifyReply): void {
    const isHeldBack = !isNews && request.headers[LOOK_HEADER] === ONLY_NEWS
    const isStored = !isHeldBack && this.noteProgress(request, pull, last)
    if (isNews) return
    const isRepeatable = isStored && pull.query.cursor === null && isSettled(head) && this.log.lagMilliseconds() === 0
    void reply.header(NOTHING_NEW_HEADER, isRepeatable ? UNTIL_CHANGE : '1')
  }

  private setHeaders(reply: FastifyReply, tag: string, checkpoint: number): void {
    void reply.headers({
      'content-type': 'application/json; charset=utf-8',
      etag: tag,
      'service-checkpoint': formatTimestamp(checkpoint),
      [LAG_HEADER]: this.log.lagMilliseconds(),
    })
  }

  /**
   * Notes the poll for the connection's progress: it confirms everything up to its bound or its cursor, whichever is
   * greater. HEAD and people in the portal do not count: they process no rows.
   * @param last greatest stamp of the page; null on an empty one
   * @returns whether everything that such polls imply is stored
   */
  private noteProgress(request: FastifyRequest, { query, bounds }: Pull, last: number | null): boolean {
    if (request.headers[NO_BODY_HEADER] !== undefined || partnerOf(request).actor !== undefined) return false
    const { from } = bounds
    const implied = Math.max(query.updatedSince?.upTo ?? 0, query.cursor === null ? 0 : from - 1)
    return this.progress.note(query.connectionId, { from, implied, last, at: Date.now() })
  }

  private bounds({ connectionId, updatedSince, cursor }: PageQuery): PageBounds {
    const bound = updatedSince ?? { from: 0, upTo: 0 }
    if (cursor === null) return { since: bound.upTo, from: bound.from }
    const { since, after } = this.cursors.open(connectionId, cursor)
    return { since: Math.max(bound.upTo, since), from: Math.max(bound.from, since, after + 1) }
  }
}

/**
 * The head to answer from. Marks the 503 of a feed that is unknown or being filled as nothing new, so that a waiting
 * request stays open.
 * @throws ServiceError 503 while the feed is unknown or being filled, 403 when it is closed
 */
function headOf({ head }: HeadAndRows, reply: FastifyReply): PageHead {
  if (!head || head.state === 'filling') void reply.header(NOTHING_NEW_HEADER, '1')
  return servable(head)
}

/** Whether the answer of a poll without news stays the same until the next notification. */
const isSettled = ({ state, lastStamp }: PageHead): boolean => state === 'live' && Date.now() - lastStamp > SETTLED

/** Sets the header with the evidence for the pilot checklist, which the gateway records. */
function nameEvidence(reply: FastifyReply, served: ServedPage): void {
  const shown = evidenceOf(served)
  if (shown.length > 0) void reply.header(EVIDENCE_HEADER, shown.join(','))
}

/** Sets the header with first and last stamp and the number of rows, which the gateway logs. */
function nameRows(reply: FastifyReply, page: readonly PageRow[]): void {
  const [first, last] = [page[0], page.at(-1)]
  if (first && last) void reply.header(SERVED_PAGE_HEADER, `${first.stamp} ${last.stamp} ${page.length}`)
}
