import { hash } from 'node:crypto'
import { type ErrorCode, ServiceError } from '@connectivity/contracts/errors'
import type { Database, Transaction } from '@connectivity/database'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { findAnswers, scopeText, storeAnswers, takeKeys } from './idempotent-answer.store.js'

/** Encrypts stored bodies that reveal a secret. */
export interface BodySeal {
  seal: (body: string) => string | Promise<string>
  open: (sealed: string) => string | Promise<string>
}

/** No encryption, for answers without secrets. */
export const PLAIN: BodySeal = { seal: (body) => body, open: (body) => body }

/** Refusals that are final and stored as answers. A repetition may succeed after any other error. */
const STORED_STATUSES = new Set([404, 409, 422])
const NEVER_STORED = new Set<ErrorCode>(['idempotency_in_progress', 'idempotency_key_reused', 'callback_unreachable'])

/** Fingerprint of a request, to detect a key that is reused for another one. */
export const fingerprintOf = (method: string, target: string, bodyHash: string): string =>
  hash('sha256', `${method}\n${target}\n${bodyHash}`)

/**
 * Runs `work` once for a key: check, effect, outbox and stored answer commit together. The lock ends with
 * the transaction, so a crash leaves none behind. Answers are kept for 72 hours, for one application, method and path,
 * in the table `idempotent_answer`. I/O that `work` does elsewhere repeats if the process dies before the commit.
 * @param work does everything through `tx`; a ServiceError 404, 409 or 422 undoes its effect and is the answer
 * @returns the answer, replayed when the key was used before for the same request
 * @throws ServiceError 409 `idempotency_in_progress`, 422 `idempotency_key_reused`; or `work`'s error, storing nothing
 */
export function answerOnce(
  database: Pick<Database, 'transaction'>,
  request: IdempotentRequest,
  work: (tx: Transaction) => Promise<Answer>,
  seal: BodySeal = PLAIN,
): Promise<Answer & { replayed: boolean }> {
  return database.transaction(async (tx) => {
    const stored = await answerBefore(tx, request)
    if (stored) return { ...stored, body: await seal.open(stored.body), replayed: true }
    const answer = await answerOf(tx, request.correlationId, work)
    storeAnswers(tx, [{ request, answer: { ...answer, body: await seal.seal(answer.body) } }])
    return { ...answer, replayed: false }
  })
}

/**
 * Locks the key until the transaction ends and reads the stored answer of this mutation.
 * @returns null when there is none
 * @throws ServiceError 409 `idempotency_in_progress` while another request holds the key, 422 `idempotency_key_reused`
 */
export async function answerBefore(tx: Transaction, request: IdempotentRequest): Promise<Answer | null> {
  const [before] = await answersBefore(tx, [request])
  if (before instanceof ServiceError) throw before
  return before!
}

/**
 * `answerBefore` for several mutations.
 * @returns for each its answer, null, or the error that `answerBefore` throws. For requests with the same key, all but
 * the first get `idempotency_in_progress`
 */
export async function answersBefore(
  tx: Transaction,
  requests: readonly IdempotentRequest[],
): Promise<(Answer | ServiceError | null)[]> {
  const [taken, stored] = await Promise.all([takeKeys(tx, requests), findAnswers(tx, requests)])
  const seen = new Set<string>()
  return requests.map((request, index) => {
    const scope = scopeText(request)
    if (!taken[index] || seen.has(scope)) return inProgress()
    seen.add(scope)
    const before = stored.get(index)
    if (!before) return null
    const { fingerprint, ...answer } = before
    return fingerprint === request.fingerprint ? answer : keyReused()
  })
}

/** 422: the key belongs to another request. */
export function keyReused(): ServiceError {
  const message = 'This Idempotency-Key was used for another request; take a new key for each change.'
  return new ServiceError('idempotency_key_reused', message)
}

/** 409: another request is working on this key. */
export function inProgress(): ServiceError {
  const message = 'A request with this Idempotency-Key is still being worked on; repeat it to get its answer.'
  return new ServiceError('idempotency_in_progress', message, { retryAfterSeconds: 1 })
}

/** Runs the work. A refusal that is stored undoes its effect and becomes the answer. */
export async function answerOf(
  tx: Transaction,
  correlationId: string,
  work: (tx: Transaction) => Promise<Answer>,
): Promise<Answer> {
  tx.savepoint('work')
  try {
    return await work(tx)
  } catch (error) {
    const refusal = storedRefusal(error, correlationId)
    await tx.rollbackTo('work')
    return refusal
  }
}

/**
 * The answer to a mutation that was refused.
 * @throws the error itself if it is not stored: a repetition may succeed
 */
export function storedRefusal(error: unknown, correlationId: string): Answer {
  if (!(error instanceof ServiceError) || !STORED_STATUSES.has(error.status) || NEVER_STORED.has(error.code))
    throw error
  return { status: error.status, headers: error.headers, body: JSON.stringify(error.body(correlationId)) }
}
