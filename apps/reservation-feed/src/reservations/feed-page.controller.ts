import { Injectable, type OnModuleInit } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { EVIDENCE_HEADER } from '@connectivity/contracts/evidence'
import { CORRELATION_HEADER, type Identity } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { formatTimestamp } from '@connectivity/contracts/time'
import { matchesTag } from '@connectivity/service-kit/entity-tag'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addressedConnection } from '@connectivity/service-kit/addressed-connection'
import { cutPage, pageBody } from './feed-page.js'
import { servable } from './feed-refusals.js'
import { FeedPageStore, type HeadAndRows, type PageHead } from './feed-page.store.js'
import { PageCursor } from './page-cursor.js'
import { evidenceOf, type ServedPage } from './page-evidence.js'
import { type PageQuery, parsePageQuery } from './page-query.js'

/** What a pull asks for, as bounds on stamps. */
interface PageBounds {
  /** The pull's own lower bound, which its cursors carry on. */
  since: number
  /** First stamp that may stand on this page. */
  from: number
}

/**
 * GET /reservations: a Fastify route rather than a Nest handler, because it is the one path that every partner polls
 * and the framework's pipes and interceptors would cost as much as the page itself.
 */
@Injectable()
export class FeedPageController implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost,
    private readonly store: FeedPageStore,
    private readonly cursors: PageCursor,
  ) {}

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>()
    fastify.get(`${BASE_PATH}/reservations`, (request, reply) => this.page(request, reply))
  }

  private async page(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const query = parsePageQuery(request.url)
    const connection = addressedConnection(request.identity, query.propertyId)
    const bounds = this.bounds(query)
    const isPilot = connection.state !== 'production'
    const read = await this.read(query, bounds, isPilot)
    const head = servable(read.head) ?? notYetKnown(connection.external_property_id)
    const { page, hasMore } = cutPage(read.rows, query.limit)
    const checkpoint = page.at(-1)?.stamp ?? head.lastStamp
    const tag = `W/"${head.catalogVersion}-${checkpoint}-${page.length}-${hasMore ? 1 : 0}"`
    setPageHeaders(reply, request.identity, tag, checkpoint)
    if (matchesTag(request.headers['if-none-match'], tag)) return reply.status(304).send()
    const position = { since: bounds.since, after: checkpoint }
    const nextCursor = hasMore ? this.cursors.seal(query.propertyId, position) : null
    const complete = await this.store.withBodies(query.propertyId, page)
    if (isPilot) nameEvidence(reply, { ...query, head, since: bounds.since, page: complete, hasMore })
    return reply.send(pageBody({ ...query, externalPropertyId: head.externalPropertyId, page: complete, nextCursor }))
  }

  /**
   * Whoever goes through the feed finds rows: head and rows come together then. Most polls find nothing new, and one that
   * asks for changes later than it knows of looks at the head alone first.
   */
  private async read(
    { propertyId, limit, cursor }: PageQuery,
    { from }: PageBounds,
    withHistory: boolean,
  ): Promise<HeadAndRows> {
    if (cursor === null && from > 0) {
      const head = await this.store.head(propertyId)
      if (head === null || head.state !== 'live' || from > head.lastStamp) return { head, rows: [] }
    }
    return this.store.headAndRows(propertyId, { from, limit: limit + 1, withHistory })
  }

  private bounds({ propertyId, updatedSince, cursor }: PageQuery): PageBounds {
    const since = updatedSince ?? 0
    if (cursor === null) return { since, from: since }
    const position = this.cursors.open(propertyId, cursor)
    const bound = Math.max(since, position.since)
    return { since: bound, from: Math.max(bound, position.after + 1) }
  }
}

/** Names what the page shows of the pilot checklist: the gateway records it. */
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

/** A connection whose creation has not reached the feed yet: its feed is as empty as one that waits for its catalog. */
const notYetKnown = (externalPropertyId: string): PageHead => ({
  state: 'waiting',
  externalPropertyId,
  catalogVersion: '0',
  firstStamp: 0,
  lastStamp: 0,
})
