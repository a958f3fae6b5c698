import { advisoryLocks, bulkColumn, bulkRows, bulkValue, queryRows, type Transaction } from '@connectivity/database'
import type { Answer, IdempotentRequest } from './idempotent-request.js'

/** The columns that name a mutation. */
export const scopeOf = ({ applicationId, method, path, key }: IdempotentRequest): string[] => [
  applicationId,
  method,
  path,
  key,
]

/** `scopeOf` as one text, the same for the same mutation only. */
export const scopeText = (request: IdempotentRequest): string => scopeOf(request).join('\n')

const scopesOf = (requests: readonly IdempotentRequest[]): string[] => [
  bulkValue(requests.map(({ applicationId }) => applicationId)),
  bulkValue(requests.map(({ method }) => method)),
  bulkValue(requests.map(({ path }) => path)),
  bulkValue(requests.map(({ key }) => key)),
]
const SCOPE = ['text', 'text', 'text', 'text']

/**
 * Locks the keys until the transaction ends. Several requests of the transaction may have the same key.
 * @returns false for each request whose key another transaction holds
 */
export async function takeKeys(tx: Transaction, requests: readonly IdempotentRequest[]): Promise<boolean[]> {
  const rows = await queryRows<[boolean]>(tx, {
    name: 'idempotency-take',
    text: `SELECT pg_try_advisory_xact_lock(${advisoryLocks.idempotencyKey('scope')})
             FROM unnest(${bulkColumn(1, 'text')}) WITH ORDINALITY AS given (scope, place) ORDER BY place`,
    values: [bulkValue(requests.map(scopeText))],
  })
  return rows.map(([isTaken]) => isTaken)
}

/** An answer with the fingerprint of its request. */
type StoredAnswer = Answer & { fingerprint: string }

/** The answers stored in the last 72 hours, by the index of the request. */
export async function findAnswers(
  tx: Transaction,
  requests: readonly IdempotentRequest[],
): Promise<Map<number, StoredAnswer>> {
  const rows = await queryRows<[place: number, fingerprint: string, status: number, headers: string, body: string]>(
    tx,
    {
      name: 'idempotency-find',
      // LIMIT makes PostgreSQL look each key up by itself, however small the table was when it planned.
      text: `SELECT place::integer, fingerprint, status, headers, body
               FROM unnest(${SCOPE.map((type, index) => bulkColumn(index + 1, type)).join(', ')})
                    WITH ORDINALITY AS given (application_id, method, path, key, place),
                    LATERAL (SELECT fingerprint, status, headers, body FROM idempotent_answer AS stored
                              WHERE stored.application_id = given.application_id AND stored.method = given.method
                                AND stored.path = given.path AND idempotency_key = given.key
                                AND answered_at > now() - interval '72 hours' LIMIT 1) AS found`,
      values: scopesOf(requests),
    },
  )
  return new Map(
    rows.map(([place, fingerprint, status, headers, body]) => [
      place - 1,
      { fingerprint, status, headers: JSON.parse(headers) as Record<string, string>, body },
    ]),
  )
}

/** The answer to a request. */
export interface Answered {
  request: IdempotentRequest
  answer: Answer
}

/**
 * Stores answers for replays, at most one for a key, and records people's changes; sent along with the next statement.
 */
export function storeAnswers(tx: Transaction, answered: readonly Answered[]): void {
  if (answered.length === 0) return
  for (const { request, answer } of answered) if (answer.status < 400) request.recordChange?.(tx)
  const column = (value: (one: Answered) => string | number) => bulkValue(answered.map(value))
  tx.defer({
    name: 'idempotency-store',
    // A lone empty body reaches PostgreSQL as NULL.
    text: `INSERT INTO idempotent_answer AS old (application_id, method, path, idempotency_key, fingerprint, status, headers, body)
           SELECT application_id, method, path, key, fingerprint, status, headers, coalesce(body, '')
             FROM ${bulkRows([...SCOPE, 'text', 'integer', 'text', 'text'])}
               AS given (application_id, method, path, key, fingerprint, status, headers, body)
           ON CONFLICT (application_id, method, path, idempotency_key) DO UPDATE
             SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
                 body = excluded.body, answered_at = now()`,
    values: [
      ...scopesOf(answered.map(({ request }) => request)),
      column(({ request }) => request.fingerprint),
      column(({ answer }) => answer.status),
      column(({ answer }) => JSON.stringify(answer.headers)),
      column(({ answer }) => answer.body),
    ],
  })
}
