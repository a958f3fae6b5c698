import { advisoryLocks, type Queryable, type Transaction } from '@connectivity/database'
import type { IdempotentRequest } from './idempotent-request.js'
import { scopeOf } from './idempotent-answer.store.js'

/**
 * A key claimed for one request: a row of `idempotent_claim`. `holder` is the number of an advisory lock that the
 * claiming process holds as long as it lives.
 */
export interface Claim {
  holder: string
  claim: string
}

/**
 * Claims the key for a request.
 * @returns false while the process that has claimed it is alive
 */
export async function claimKey(
  tx: Transaction,
  request: IdempotentRequest,
  { holder, claim }: Claim,
): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'idempotency-claim',
    text: `INSERT INTO idempotent_claim AS held (application_id, method, path, idempotency_key, holder, claim)
           VALUES ($1, $2, $3, $4, $5, $6)
           ON CONFLICT (application_id, method, path, idempotency_key) DO UPDATE
             SET holder = excluded.holder, claim = excluded.claim
           WHERE held.holder <> excluded.holder AND pg_try_advisory_xact_lock(${advisoryLocks.idempotencyClaims('held.holder')})`,
    values: [...scopeOf(request), holder, claim],
  })
  return rowCount === 1
}

/** @returns whether the claim was still ours */
export async function endClaim(tx: Transaction, { claim }: Claim): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'idempotency-end-claim',
    text: 'DELETE FROM idempotent_claim WHERE claim = $1',
    values: [claim],
  })
  return rowCount === 1
}

/** Removes claims that crashed processes left and no client has repeated. */
export async function deleteDeadClaims(on: Queryable): Promise<void> {
  await on.query(
    `DELETE FROM idempotent_claim WHERE pg_try_advisory_xact_lock(${advisoryLocks.idempotencyClaims('holder')})`,
  )
}
