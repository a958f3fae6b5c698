import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import { CORRELATION_HEADER, type Identity } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { formatTimestamp } from '@connectivity/contracts/time'
import { WatchedLog } from '@connectivity/kafka/watched-log'
import { matchesTag } from '@connectivity/service-kit/entity-tag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressedConnection } from '@connectivity/service-kit/addressed-connection'
import { PollProgress } from '../progress/poll-progress.service.js'
import type { AnsweredPoll } from '../progress/progress.js'
import { cutPage, pageBody } from './feed-page.js'
import { servable } from './feed-refusals.js'
import { FeedPageStore, type HeadAndRows, type PageHead, type PageRow } from './feed-page.store.js'
import { PageCursor } from './page-cursor.service.js'
import { evidenceOf, type ServedPage } from './page-evidence.js'
import { type PageQuery, parsePageQuery } from './page-query.js'
import { PageTurns } from './page-turns.service.js'

/** How far the feed is behind the log of bookings. */
const LAG_HEADER = 'service-lag-ms'

/** Bounds on stamps that a pull asks for. */
interface PageBounds {
  /** The pull's own lower bound, which its cursors keep. */
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

/** Pilots are graded by the pages that they get. */
const isGraded = ({ connection }: Pull): boolean => connection.state !== 'production'

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
    const connection = addressedConnection(request.identity, query.propertyId)
    const pull = { query, connection, bounds: this.bounds(query) }
    const head = await this.headWithoutRows(pull)
    if (head === undefined) await this.turns.take(query.propertyId, () => this.pageWithRows(pull, request, reply))
    else await this.answer({ head, rows: [] }, pull, request, reply)
    return reply
  }

  /**
   * Most polls find nothing new: one for changes later than a known stamp reads only the head first.
   * @returns undefined when the rows must be read together with the head, as for cursors and pulls without a bound
   */
  private async headWithoutRows({ query, bounds }: Pull): Promise<PageHead | null | undefined> {
    if (query.cursor !== null || bounds.from === 0) return undefined
    const head = await this.store.head(query.propertyId)
    return head === null || head.state !== 'live' || bounds.from > head.lastStamp ? head : undefined
  }

  private async pageWithRows(pull: Pull, request: FastifyRequest, reply: FastifyReply): Promise<number> {
    const { propertyId, limit } = pull.query
    const withHistory = isGraded(pull)
    const read = await this.store.headAndRows(propertyId, { from: pull.bounds.from, limit: limit + 1, withHistory })
    return this.answer(read, pull, request, reply)
  }

  /** @returns bytes of the page; 0 when the client already has it */
  private async answer(read: HeadAndRows, pull: Pull, request: FastifyRequest, reply: FastifyReply): Promise<number> {
    const { query, bounds, connection } = pull
    const head = servable(read.head) ?? notYetKnown(connection.external_property_id)
    const { page, hasMore } = cutPage(read.rows, query.limit)
    const checkpoint = page.at(-1)?.stamp ?? head.lastStamp
    const tag = `W/"${head.catalogVersion}-${checkpoint}-${page.length}-${hasMore ? 1 : 0}"`
    setPageHeaders(reply, request.identity, tag, checkpoint)
    void reply.header(LAG_HEADER, this.log.lagMilliseconds())
    this.noteProgress(request, pull, page)
    if (matchesTag(request.headers['if-none-match'], tag)) {
      void reply.status(304).send()
      return 0
    }
    const position = { since: bounds.since, after: checkpoint }
    const nextCursor = hasMore ? this.cursors.seal(query.propertyId, position) : null
    const complete = await this.store.withBodies(query.propertyId, page)
    if (isGraded(pull)) nameEvidence(reply, { ...query, head, since: bounds.since, page: complete, hasMore })
    const body = pageBody({ ...query, externalPropertyId: head.externalPropertyId, page: complete, nextCursor })
    void reply.send(body)
    return body.length
  }

  /** HEAD serves nothing that could be processed. */
  private noteProgress({ method }: FastifyRequest, pull: Pull, page: readonly PageRow[]): void {
    if (method === 'GET') this.progress.note(pull.query.propertyId, answeredPoll(pull, page))
  }

  private bounds({ propertyId, updatedSince, cursor }: PageQuery): PageBounds {
    const since = updatedSince ?? 0
    if (cursor === null) return { since, from: since }
    const position = this.cursors.open(propertyId, cursor)
    const bound = Math.max(since, position.since)
    return { since: bound, from: Math.max(bound, position.after + 1) }
  }
}

/** What a poll implies: everything up to its bound or its cursor, whichever is greater, has been processed. */
function answeredPoll({ query, bounds }: Pull, page: readonly PageRow[]): AnsweredPoll {
  const { from } = bounds
  const implied = Math.max(query.updatedSince ?? 0, query.cursor === null ? 0 : from - 1)
  return { from, implied, last: page.at(-1)?.stamp ?? null, at: Date.now() }
}

/** Names the items of the pilot checklist that the page shows: the gateway records them. */
function nameEvidence(reply: FastifyReply, served: ServedPage): void {
  const shown = evidenceOf(served)
  if (shown.length > 0) void reply.header(EVIDENCE_HEADER, shown.join(','))
}

function setPageHeaders(reply: FastifyReply, identity: Identity, tag: string, checkpoint: number): void {
  void reply.headers({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'private, no-store',
    [CORRELATION_HEADER]: identity.correlation_id,
    etag: tag,
    'service-checkpoint': formatTimestamp(checkpoint),
  })
}

/** A connection whose creation has not reached the feed yet: its feed is as empty as one waiting for its catalog. */
const notYetKnown = (externalPropertyId: string): PageHead => ({
  state: 'waiting',
  externalPropertyId,
  catalogVersion: '0',
  firstStamp: 0,
  lastStamp: 0,
})
