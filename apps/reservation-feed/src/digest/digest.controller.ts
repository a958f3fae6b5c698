import { Controller, Get, Req, Res } from '@nestjs/common'
import type { DigestRows, FeedDigest } from '@connectivity/contracts/digest'
import { ServiceError } from '@connectivity/contracts/errors'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { formatTimestamp } from '@connectivity/contracts/time'
import { addressedConnection } from '@connectivity/service-kit/identity'
import { whileClientWaits } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DigestCursor, type RowsPosition } from './digest-cursor.service.js'
import { parseDigestQuery, parseRowsQuery, type RowsQuery } from './digest-query.js'
import { Digests } from './digests.service.js'
import { ProofStore } from './proof.store.js'

/** GET /reservations/digest and /reservations/digest/rows: whether both sides hold the same rows, and which differ. */
@Controller(`${BASE_PATH}/reservations/digest`)
export class DigestController {
  constructor(
    private readonly digests: Digests,
    private readonly proofs: ProofStore,
    private readonly cursors: DigestCursor,
  ) {}

  @Get()
  async digest(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = parseDigestQuery(request.url)
    const { checkpoint, digits } = query
    const { property_id: connectionId } = addressedConnection(request, query.connectionId)
    const { digest, lastStamp } = await whileClientWaits(request.raw, (gone) =>
      this.digests.whole(connectionId, checkpoint, digits, gone),
    )
    const { rows, moved } = digest
    const answered = { checkpoint, rows, digest: digest.digest() }
    await this.proofs.keepAnswer(connectionId, { ...answered, lastStamp })
    void reply.send({
      schema_version: SCHEMA_VERSION,
      property_id: connectionId,
      ...answered,
      checkpoint: formatTimestamp(checkpoint),
      moved,
      buckets: digest.buckets(),
    } satisfies FeedDigest)
  }

  @Get('rows')
  async rows(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const query = parseRowsQuery(request.url)
    const { limit } = query
    const { property_id: connectionId } = addressedConnection(request, query.connectionId)
    const position = this.position(query)
    const found = await whileClientWaits(request.raw, (gone) =>
      this.digests.list(connectionId, position, limit + 1, gone),
    )
    const rows = found.slice(0, limit)
    const has_more = found.length > limit
    const after = Date.parse(rows.at(-1)?.updated_at ?? '')
    const next_cursor = has_more ? this.cursors.seal(connectionId, { ...position, after }) : null
    void reply.send({
      schema_version: SCHEMA_VERSION,
      property_id: connectionId,
      checkpoint: formatTimestamp(position.checkpoint),
      bucket: position.bucket,
      rows,
      pagination: { limit, count: rows.length, has_more, next_cursor },
    } satisfies DigestRows)
  }

  /** @throws ServiceError 400 `invalid_cursor` when the cursor belongs to another bucket or checkpoint */
  private position({ connectionId, checkpoint, bucket, cursor }: RowsQuery): RowsPosition {
    if (cursor === null) return { checkpoint: checkpoint!, bucket: bucket!, after: -1 }
    const position = this.cursors.open(connectionId, cursor)
    const isOther = (checkpoint ?? position.checkpoint) !== position.checkpoint
    if (!isOther && (bucket ?? position.bucket) === position.bucket) return position
    const message = 'The cursor belongs to another checkpoint or bucket: send it alone, or start with the first page.'
    throw new ServiceError('invalid_cursor', message)
  }
}
