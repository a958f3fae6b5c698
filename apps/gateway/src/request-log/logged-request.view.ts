import type { LoggedRequest, RequestPage } from '@connectivity/contracts/request-log'
import { signatureHints } from '@connectivity/contracts/signature-hints'
import { SCHEMA_VERSION } from '@connectivity/contracts/reservation'
import { formatTimestamp } from '@connectivity/contracts/time'
import type { ShownFacts } from './logged-request.js'
import type { RequestListing } from './request-listings.service.js'
import type { LoggedPage, LoggedRow } from './request-list.store.js'

/** A row as partners see it. */
export function present(row: LoggedRow): LoggedRequest {
  const [request_bytes, response_bytes, rateClass, remaining, clock_skew_seconds, idempotency, query, details] =
    factsIn(row)
  return {
    at: row.at.toISOString(),
    correlation_id: row.correlation_id,
    method: row.method,
    path: row.path,
    query,
    property_id: row.connection_id,
    credential_id: row.key_id,
    auth_method: row.auth_method,
    authenticated: row.authenticated,
    status: row.status,
    code: row.code,
    details: [...details],
    duration_ms: row.duration_ms,
    request_bytes,
    response_bytes,
    rate_limit: rateClass && { class: rateClass, remaining: remaining! },
    clock_skew_seconds,
    idempotency,
    page: row.page_rows === null ? null : pageIn(row),
    repeated: row.repeated,
  }
}

const factsIn = ({ facts }: LoggedRow): ShownFacts => JSON.parse(facts) as ShownFacts

/** A row as operators see it in lists. */
export const presentToOperators = (row: LoggedRow) => ({ ...present(row), application_id: row.application_id })

/** A single row as operators see it: with the refusal's message and the caller's next step. */
export function explain(row: LoggedRow): object {
  const request = presentToOperators(row)
  const message = factsIn(row)[8]
  const [fault] = request.details
  const hint = fault?.hint ?? null
  const next_step = hint ? signatureHints[hint] : (fault?.message ?? message ?? nothingToDo(row))
  return { schema_version: SCHEMA_VERSION, ...request, message, hint, next_step }
}

const nothingToDo = ({ status }: LoggedRow): string =>
  status < 400
    ? 'Nothing: the request was served.'
    : 'The client went away before it was answered; it should wait longer for the answer.'

const pageIn = ({ page_from, page_to, page_rows }: LoggedRow): LoggedRequest['page'] => ({
  from: formatTimestamp(Number(page_from)),
  to: formatTimestamp(Number(page_to)),
  rows: page_rows!,
})

/** A page of the log. */
export function pageOfRequests<T extends LoggedRequest>(
  { rows, hasMore }: LoggedPage,
  { limit, cursorAfter }: RequestListing,
  show: (row: LoggedRow) => T,
): Omit<RequestPage, 'requests'> & { requests: T[] } {
  const last = hasMore ? rows.at(-1)! : null
  return {
    schema_version: SCHEMA_VERSION,
    requests: rows.map(show),
    pagination: {
      limit,
      count: rows.length,
      has_more: last !== null,
      next_cursor: last && cursorAfter({ at: last.at.getTime(), id: last.id }),
    },
  }
}
