import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { CompleteRow, PageRow } from './feed-page.store.js'

/** A page stops early rather than exceed this; one larger reservation is sent alone. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Upper estimate for the envelope and the commas. */
const FRAME_BYTES = 4 * 1024
const MIDDLE = '],"errors":['
const COMMA = ','.charCodeAt(0)

/** Content of a page. */
export interface PageContent {
  /** The connection's id. */
  connectionId: string
  externalPropertyId: string
  limit: number
  page: readonly CompleteRow[]
  /** Null when no more pages exist. */
  nextCursor: string | null
}

/** Rows that fit on the page, and whether more follow. */
export function cutPage(rows: readonly PageRow[], limit: number): { page: readonly PageRow[]; hasMore: boolean } {
  let bytes = FRAME_BYTES
  let count = 0
  for (const row of rows.slice(0, limit)) {
    bytes += row.bytes + 1
    if (count > 0 && bytes > PAGE_BYTES) break
    count += 1
  }
  return { page: rows.slice(0, count), hasMore: rows.length > count }
}

/**
 * The page as JSON. Copies the bodies unchanged from the rows into one buffer of the
 * right size: joining them first would copy each page three times more.
 */
export function pageBody({ connectionId, externalPropertyId, limit, page, nextCursor }: PageContent): Buffer {
  const reservations = page.filter(({ kind }) => kind === 'reservation')
  const errors = page.filter(({ kind }) => kind === 'problem')
  const envelope = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    property_id: connectionId,
    external_property_id: externalPropertyId,
  })
  const pagination = JSON.stringify({
    limit,
    count: reservations.length,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  })
  const [head, foot] = [`${envelope.slice(0, -1)},"reservations":[`, `],"pagination":${pagination}}`]
  const size = page.reduce((sum, { bytes }) => sum + bytes + 1, 0) + Buffer.byteLength(head + MIDDLE + foot)
  const out = Buffer.allocUnsafe(size)
  let at = writeList(out, out.write(head), reservations)
  at += out.write(MIDDLE, at)
  at = writeList(out, at, errors)
  at += out.write(foot, at)
  return out.subarray(0, at)
}

/** Writes the bodies with commas between them. @returns where they end */
function writeList(out: Buffer, from: number, rows: readonly CompleteRow[]): number {
  let at = from
  for (const { body } of rows) {
    if (at > from) at = out.writeUInt8(COMMA, at)
    at += out.write(body, at)
  }
  return at
}
