import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common'
import { type ErrorBody, type ErrorCode, ServiceError } from '@connectivity/contracts/errors'
import { IDEMPOTENCY_KEY, readOptionalIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import { pathOf } from '@connectivity/contracts/request-target'
import { Database } from '@connectivity/database/database'
import { type Answer, answerOnce, fingerprintOf, type IdempotentRequest } from '@connectivity/database/idempotency'
import { bodyHashOf } from '@connectivity/service-kit/json-body'
import { headerValues } from '@connectivity/service-kit/raw-headers'
import { answerSeal } from '@connectivity/vault/sealed-answer'
import { SecretVault } from '@connectivity/vault/secret-vault'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { from, lastValueFrom, type Observable } from 'rxjs'
import { openFor } from './audit-context.js'
import { transactionsWithEntities } from './operator-transaction.store.js'

const REPLAYED = { 'idempotent-replayed': 'true' }
const REFUSED = 400

/** A stored refusal, returned again with the same body. */
class StoredRefusal extends ServiceError {
  constructor(
    private readonly stored: ErrorBody,
    headers: Record<string, string>,
  ) {
    super(stored.error.code as ErrorCode, stored.error.message, { headers })
  }

  override body(): ErrorBody {
    return this.stored
  }
}

/**
 * Idempotence of operators' changes with a key (operations.md §1; limits as in libs/database/idempotency). Effect,
 * audit entry and answer commit together, so a handler makes changes only through `AuditStore.change` and reads the
 * data for its answer inside that change. Answers are stored sealed: some reveal a secret.
 */
@Injectable()
export class IdempotentChanges implements NestInterceptor {
  constructor(
    private readonly database: Database,
    private readonly vault: SecretVault,
  ) {}

  intercept(context: ExecutionContext, handler: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>()
    const key = keyOf(request)
    if (key === null) return handler.handle()
    return from(this.answer(request, context.switchToHttp().getResponse<FastifyReply>(), key, handler))
  }

  private async answer(request: FastifyRequest, reply: FastifyReply, key: string, handler: CallHandler) {
    const named = identified(request, key)
    const work = async (): Promise<Answer> => {
      const shown: unknown = await lastValueFrom(handler.handle())
      return { status: reply.statusCode, headers: {}, body: JSON.stringify(shown) }
    }
    const seal = answerSeal(this.vault, named)
    const transactions = transactionsWithEntities(this.database, (open) => openFor(request, open))
    const { status, headers, body, replayed } = await answerOnce(transactions, named, work, seal)
    const all = { ...headers, ...(replayed ? REPLAYED : {}) }
    if (status >= REFUSED) throw new StoredRefusal(JSON.parse(body) as ErrorBody, all)
    void reply.headers(all).type('application/json; charset=utf-8')
    return body
  }
}

/** The idempotency key of a change; null when absent, as it is optional for operators. */
function keyOf({ method, raw: { rawHeaders } }: FastifyRequest): string | null {
  if (method === 'GET' || method === 'HEAD') return null
  return readOptionalIdempotencyKey(headerValues(rawHeaders, IDEMPOTENCY_KEY))
}

/** Keys are per operator, as they are per application for partners. */
const identified = (request: FastifyRequest, key: string): IdempotentRequest => ({
  applicationId: request.operator.subject,
  method: request.method,
  path: pathOf(request.originalUrl),
  key,
  fingerprint: fingerprintOf(request.method, request.originalUrl, bodyHashOf(request)),
  correlationId: request.id,
})
