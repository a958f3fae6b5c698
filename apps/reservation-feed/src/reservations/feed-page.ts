import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import type { CompleteRow, PageRow } from './feed-page.store.js'

/** A page stops early rather than exceed this; one larger reservation goes alone. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Envelope and commas, generously. */
const FRAME_BYTES = 4 * 1024

/** What a page is made of. */
export interface PageContent {
  /** The connection's id. */
  propertyId: string
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

/** The page as JSON text: bodies joined as they are, spec.md "Reservation feed page". */
export function pageText({ propertyId, externalPropertyId, limit, page, nextCursor }: PageContent): string {
  const reservations = page.filter(({ kind }) => kind === 'reservation').map(({ body }) => body)
  const errors = page.filter(({ kind }) => kind === 'problem').map(({ body }) => body)
  const envelope = JSON.stringify({
    schema_version: SCHEMA_VERSION,
    property_id: propertyId,
    external_property_id: externalPropertyId,
  })
  const pagination = JSON.stringify({
    limit,
    count: reservations.length,
    has_more: nextCursor !== null,
    next_cursor: nextCursor,
  })
  return `${envelope.slice(0, -1)},"reservations":[${reservations.join(',')}],"errors":[${errors.join(',')}],"pagination":${pagination}}`
}
