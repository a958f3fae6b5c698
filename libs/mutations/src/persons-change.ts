import { BASE_PATH } from '@connectivity/contracts/partner-api'
import type { Transaction } from '@connectivity/database'
import { partnerOf } from '@connectivity/service-kit/identity'
import type { FastifyRequest } from 'fastify'
import { keepAuditEntry } from './audit-entry.js'
import type { IdempotentRequest } from './idempotent-request.js'

/** Longest body that the audit shows, characters of JSON. */
const LONGEST_SHOWN = 4 * 1024
/** Calls with an Idempotency-Key that change nothing. */
const QUESTIONS = new Set(['POST /properties/{id}/callback/diagnose'])

/** A change that a person makes in the portal, as the audit names it. */
interface PersonsChange {
  /** E-mail address of the person. */
  actor: string
  method: string
  /** Path below the base path, with `{id}` in place of an id. */
  path: string
  /** The connection that the call addresses. */
  subject: string
  body: unknown
  correlationId: string
}

/** Adds the audit entry to a person's change; none for a call that changes nothing. */
export function recordedChange(
  server: FastifyRequest['server'],
  { actor, method, path, subject, body, correlationId }: PersonsChange,
): Pick<IdempotentRequest, 'recordChange'> {
  const action = `${method} ${path}`
  if (QUESTIONS.has(action)) return {}
  const change = { actor, action, subject, reason: null, before: null, after: shownBody(body) }
  return {
    recordChange: (tx: Transaction) => void keepAuditEntry(tx, server, { ...change, correlation_id: correlationId }),
  }
}

/** `recordedChange` for a forwarded request; empty for requests of programs. */
export function personsChange(request: FastifyRequest): Pick<IdempotentRequest, 'recordChange'> {
  const { actor, connection, application_id, correlation_id: correlationId } = partnerOf(request)
  const { method, routeOptions, server, body } = request
  if (actor === undefined) return {}
  const path = routeOptions.url!.slice(BASE_PATH.length).replace(/:\w+/g, '{id}')
  const subject = connection?.property_id ?? application_id
  return recordedChange(server, { actor, method, path, subject, body, correlationId })
}

/** The body, unless it is absent or long. It never holds a secret: partners send none. */
function shownBody(body: unknown): object | null {
  if (typeof body !== 'object' || body === null) return null
  return JSON.stringify(body).length <= LONGEST_SHOWN ? body : null
}
