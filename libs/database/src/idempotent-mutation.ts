import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY, readIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import type {} from '@connectivity/service-kit/identity.hook'
import { bodyHashOf } from '@connectivity/service-kit/json-body'
import { headerValues } from '@connectivity/service-kit/raw-headers'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Answer, fingerprintOf, type IdempotentRequest } from './idempotency.js'

/**
 * The mutation that the gateway forwarded, as `answerOnce` takes it.
 * @throws ServiceError 400 when its key is missing or malformed
 */
export const idempotentMutation = (request: FastifyRequest): IdempotentRequest => ({
  applicationId: request.identity.application_id,
  method: request.method,
  path: request.identity.path,
  key: readIdempotencyKey(headerValues(request.raw.rawHeaders, IDEMPOTENCY_KEY)),
  fingerprint: fingerprintOf(request.method, request.url, bodyHashOf(request)),
  correlationId: request.identity.correlation_id,
})

/** Sends an answer, first or replayed, always with the correlation id of the current request. */
export function sendAnswer(reply: FastifyReply, answer: Answer & { replayed: boolean }): void {
  void reply
    .status(answer.status)
    .headers({
      ...answer.headers,
      ...(answer.body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'cache-control': 'private, no-store',
      [CORRELATION_HEADER]: reply.request.id,
      ...(answer.replayed ? { 'idempotent-replayed': 'true' } : {}),
    })
    .send(answer.body)
}
