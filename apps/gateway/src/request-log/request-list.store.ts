import { Injectable } from '@nestjs/common'
import type { LoggedRequest } from '@connectivity/contracts/request-log'
import type { Queryable } from '@connectivity/database'
import type { RequestFilter } from './request-filter.js'
import type { RequestListing } from './request-listings.service.js'

/** Most characters of facts on one page: an entry with many faults has up to 16 Ki, and a page up to 100 entries. */
const MOST_FACTS = 256 * 1024

/** Requests that a caller may see; null: those of all applications. */
export type Visible = {
  applicationId: string
  /** Restricts the list to requests of this connection or key; for a key that is issued for one connection. */
  only: { connectionId: string; keyId: string } | null
} | null

/** A row of the log. */
export interface LoggedRow {
  id: string
  at: Date
  correlation_id: string
  application_id: string | null
  key_id: string | null
  connection_id: string | null
  method: string
  path: string
  auth_method: LoggedRequest['auth_method']
  authenticated: boolean
  status: number
  code: string | null
  duration_ms: number
  page_from: string | null
  page_to: string | null
  page_rows: number | null
  /** `ShownFacts` as JSON. */
  facts: string
  repeated: number
}

/** Entries of a page, and whether more follow. */
export interface LoggedPage {
  rows: LoggedRow[]
  hasMore: boolean
}

const COLUMNS = `id, at, correlation_id, application_id, key_id, connection_id, method, path, auth_method, authenticated,
  status, code, duration_ms, page_from, page_to, page_rows, facts, repeated`

/** Reads the request log. */
@Injectable()
export class RequestListStore {
  /** Newest first. A page of long entries ends before its limit. */
  async list(
    on: Queryable,
    visible: Visible,
    { filter, limit, after }: Omit<RequestListing, 'cursorAfter'>,
  ): Promise<LoggedPage> {
    const where = new Conditions().visible(visible).matching(filter)
    if (after) where.add((n) => `(at, id) < ($${n}, $${n + 1})`, new Date(after.at), after.id)
    const { rows } = await on.query<LoggedRow>(
      `SELECT ${COLUMNS} FROM logged_request ${where.text} ORDER BY at DESC, id DESC LIMIT ${limit + 1}`,
      where.values,
    )
    const shown = rows.slice(0, Math.min(limit, countUpTo(MOST_FACTS, rows)))
    return { rows: shown, hasMore: rows.length > shown.length }
  }

  /** The newest request with this correlation id. */
  async find(on: Queryable, visible: Visible, correlationId: string): Promise<LoggedRow | null> {
    const { rows } = await this.list(on, visible, { filter: { correlationId }, limit: 1, after: null })
    return rows[0] ?? null
  }
}

/** Number of first rows whose facts have at most `most` characters together; at least 1. */
function countUpTo(most: number, rows: readonly LoggedRow[]): number {
  let length = 0
  const end = rows.findIndex(({ facts }) => (length += facts.length) > most)
  return end < 0 ? rows.length : Math.max(1, end)
}

/** Conditions of one query with their values. */
class Conditions {
  readonly values: unknown[] = []
  private readonly texts: string[] = []

  /** @param condition gets the number of the first value's parameter */
  add(condition: (n: number) => string, ...values: unknown[]): this {
    this.texts.push(condition(this.values.length + 1))
    this.values.push(...values)
    return this
  }

  get text(): string {
    return this.texts.length === 0 ? '' : `WHERE ${this.texts.join(' AND ')}`
  }

  visible(visible: Visible): this {
    if (visible === null) return this
    const { applicationId, only } = visible
    this.add((n) => `application_id = $${n}`, applicationId)
    return only ? this.add((n) => `(connection_id = $${n} OR key_id = $${n + 1})`, only.connectionId, only.keyId) : this
  }

  /** A condition on `at` also bounds `day`, so that partitions of other days are not read. */
  matching({ status, since, until, paths, pathDigests, ...equal }: RequestFilter): this {
    const { applicationId, connectionId, correlationId, method, code, authMethod } = equal
    const columns = {
      application_id: applicationId,
      connection_id: connectionId,
      correlation_id: correlationId,
      method,
      code,
      auth_method: authMethod,
    }
    for (const [column, value] of Object.entries(columns)) {
      if (value !== undefined) this.add((n) => `${column} = $${n}`, value)
    }
    if (status) this.add((n) => `status BETWEEN $${n} AND $${n + 1}`, ...status)
    if (paths) this.add((n) => `path = ANY ($${n})`, paths)
    if (pathDigests) this.add((n) => `sha256(convert_to(path, 'UTF8')) = ANY ($${n})`, pathDigests)
    const day = (n: number) => `($${n}::timestamptz AT TIME ZONE 'UTC')::date`
    if (since !== undefined) this.add((n) => `at >= $${n} AND day >= ${day(n)}`, new Date(since))
    if (until !== undefined) this.add((n) => `at < $${n} AND day <= ${day(n)}`, new Date(until))
    return this
  }
}
