import type { ErrorBody } from '@connectivity/contracts/errors'
import {
  AUDIT_ENTRY_BYTES_HEADER,
  CORRELATION_HEADER,
  TAKES_AUDIT_ENTRY_HEADER,
} from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY, readIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import type {} from '@connectivity/service-kit/identity.hook'
import { bodyHashOf } from '@connectivity/service-kit/json-body'
import { headerValues } from '@connectivity/service-kit/raw-headers'
import { noteErrorCode } from '@connectivity/service-kit/request-record'
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

/** An answer, first or replayed, with the audit entry of an operator's change. */
type SentAnswer = Answer & { replayed: boolean; auditEntry?: string | null }

/**
 * Sends an answer, always with the correlation id of the current request. For a gateway that takes it, the audit entry
 * stands before the body, and a header gives its length.
 */
export function sendAnswer(reply: FastifyReply, { status, headers, body, replayed, ...given }: SentAnswer): void {
  const isTaken = body !== '' && reply.request.headers[TAKES_AUDIT_ENTRY_HEADER] !== undefined
  const auditEntry = isTaken ? given.auditEntry : null
  if (status >= 400) noteCode(reply, body)
  void reply
    .status(status)
    .headers({
      ...headers,
      ...(body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
      'cache-control': 'private, no-store',
      [CORRELATION_HEADER]: reply.request.id,
      ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
      ...(auditEntry ? { [AUDIT_ENTRY_BYTES_HEADER]: Buffer.byteLength(auditEntry) } : {}),
    })
    .send(auditEntry ? auditEntry + body : body)
}

/** Refusals that are stored answers do not pass the error filter, which names the code of the others. */
const noteCode = (reply: FastifyReply, body: string): void =>
  noteErrorCode(reply.request, reply, (JSON.parse(body) as ErrorBody).error.code)
