import type { ErrorBody } from '@connectivity/contracts/errors'
import {
  AUDIT_ENTRY_BYTES_HEADER,
  CORRELATION_HEADER,
  TAKES_AUDIT_ENTRY_HEADER,
} from '@connectivity/contracts/identity'
import { IDEMPOTENCY_KEY, readIdempotencyKey } from '@connectivity/contracts/idempotency-key'
import { partnerOf } from '@connectivity/service-kit/identity'
import { bodyHashOf, headerValues, noteError, noteStoredAnswer } from '@connectivity/service-kit/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { personsChange } from './persons-change.js'
import type { Answer, IdempotentRequest } from './idempotent-request.js'
import { fingerprintOf } from './idempotency.js'

/**
 * The forwarded mutation as an argument of `answerOnce`.
 * @throws ServiceError 400 when its key is missing or malformed
 */
export function idempotentMutation(request: FastifyRequest): IdempotentRequest {
  const { application_id: applicationId, path, correlation_id: correlationId } = partnerOf(request)
  const { method, url, raw } = request
  return {
    applicationId,
    method,
    path,
    key: readIdempotencyKey(headerValues(raw.rawHeaders, IDEMPOTENCY_KEY)),
    fingerprint: fingerprintOf(method, url, bodyHashOf(request)),
    correlationId,
    ...personsChange(request),
  }
}

/** An answer, first or replayed, with the audit entry of an operator's change. */
type SentAnswer = Answer & { replayed: boolean; isStored?: boolean; auditEntry?: string | null }

/**
 * Sends an answer, always with the correlation id of the current request. Prefixes the audit entry if the gateway
 * accepts it; a header gives its length.
 */
export function sendAnswer(reply: FastifyReply, answer: SentAnswer): void {
  const { status, body } = answer
  const isTaken = body !== '' && reply.request.headers[TAKES_AUDIT_ENTRY_HEADER] !== undefined
  const auditEntry = isTaken ? answer.auditEntry : null
  noteAnswer(reply, answer)
  void reply
    .status(status)
    .headers({
      ...headersOf(answer),
      [CORRELATION_HEADER]: reply.request.id,
      ...(auditEntry ? { [AUDIT_ENTRY_BYTES_HEADER]: Buffer.byteLength(auditEntry) } : {}),
    })
    .send(auditEntry ? auditEntry + body : body)
}

const headersOf = ({ headers, body, replayed }: SentAnswer): Record<string, string> => ({
  ...headers,
  ...(body === '' ? {} : { 'content-type': 'application/json; charset=utf-8' }),
  'cache-control': 'private, no-store',
  ...(replayed ? { 'idempotent-replayed': 'true' } : {}),
})

function noteAnswer(reply: FastifyReply, { status, body, replayed, isStored = true }: SentAnswer): void {
  if (status >= 400) noteStoredRefusal(reply, body)
  if (isStored) noteStoredAnswer(reply.request, reply, replayed ? 'replayed' : 'first')
}

/** Refusals that are stored answers do not pass the error filter, which notes the others. */
const noteStoredRefusal = (reply: FastifyReply, body: string): void =>
  noteError(reply.request, reply, (JSON.parse(body) as ErrorBody).error)
