import { advisoryLocks } from '@connectivity/database/locks'
import type { Transaction } from '@connectivity/database/transaction'
import type { Answer, IdempotentRequest } from './idempotency.js'

/** The columns that name a mutation. */
export const scopeOf = ({ applicationId, method, path, key }: IdempotentRequest): string[] => [
  applicationId,
  method,
  path,
  key,
]

/**
 * Locks the key until the transaction ends.
 * @returns false while another request holds it
 */
export async function takeKey(tx: Transaction, request: IdempotentRequest): Promise<boolean> {
  const { rows } = await tx.query<{ taken: boolean }>({
    name: 'idempotency-take',
    text: `SELECT pg_try_advisory_xact_lock(${advisoryLocks.idempotencyKey('$1')}) AS taken`,
    values: [scopeOf(request).join('\n')],
  })
  return rows[0]!.taken
}

/** The answer that was stored for the key in the last 72 hours, and the fingerprint of its request. */
export async function findAnswer(
  tx: Transaction,
  request: IdempotentRequest,
): Promise<(Answer & { fingerprint: string }) | null> {
  const { rows } = await tx.query<{ fingerprint: string; status: number; headers: string; body: string }>({
    name: 'idempotency-find',
    text: `SELECT fingerprint, status, headers, body FROM idempotent_answer
            WHERE application_id = $1 AND method = $2 AND path = $3 AND idempotency_key = $4
              AND answered_at > now() - interval '72 hours'`,
    values: scopeOf(request),
  })
  const row = rows[0]
  return row ? { ...row, headers: JSON.parse(row.headers) as Record<string, string> } : null
}

/** Stores the answer for replays; sent along with the next statement. */
export function storeAnswer(tx: Transaction, request: IdempotentRequest, { status, headers, body }: Answer): void {
  tx.defer({
    name: 'idempotency-store',
    text: `INSERT INTO idempotent_answer AS old (application_id, method, path, idempotency_key, fingerprint, status, headers, body)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
           ON CONFLICT (application_id, method, path, idempotency_key) DO UPDATE
             SET fingerprint = excluded.fingerprint, status = excluded.status, headers = excluded.headers,
                 body = excluded.body, answered_at = now()`,
    values: [...scopeOf(request), request.fingerprint, status, JSON.stringify(headers), body],
  })
}
