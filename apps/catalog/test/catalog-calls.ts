import { createSecretKey, hash, randomBytes, randomUUID } from 'node:crypto'
import { TAKES_AUDIT_ENTRY_HEADER } from '@connectivity/contracts/identity'
import { BASE_PATH } from '@connectivity/contracts/partner-api'
import { identityHeaders } from '@connectivity/service-kit/identity'
import { readAuditedAnswer } from '@connectivity/testing/audited-answer'

interface Call {
  body?: unknown
  key?: string | null
  headers?: Record<string, string>
}

/** The key by which the catalog under test recognises the gateway. */
export const identityKey = randomBytes(32)

const claims = () => ({
  aud: 'catalog' as const,
  exp: Math.floor(Date.now() / 1000) + 30,
  correlation_id: randomUUID(),
})

const partner = (connectionId: string) => ({
  ...claims(),
  application_id: 'app_1',
  connection: { property_id: connectionId, external_property_id: 'PMS-100', state: 'pilot' as const },
  scopes: ['mappings:read', 'mappings:write', 'catalog:read'] as const,
})

/** Signs the request as it is sent. */
function identified(target: string, request: RequestInit, claims: Parameters<typeof identityHeaders>[1]): RequestInit {
  const headers = new Headers(request.headers)
  const sent = {
    method: request.method!,
    target,
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
    bodyHash: hash('sha256', (request.body as string | undefined) ?? ''),
  }
  const identity = identityHeaders(createSecretKey(identityKey), claims, sent)
  for (const [name, value] of Object.entries(identity)) if (!headers.has(name)) headers.set(name, value)
  return { ...request, headers }
}

const answerOf = async (response: Response) => {
  const { text, entry } = await readAuditedAnswer(response)
  return { status: response.status, headers: response.headers, text, body: JSON.parse(text || 'null') as never, entry }
}

const mutation = (method: string, headers: Record<string, string>, key: string | null, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json', ...(key === null ? {} : { 'idempotency-key': key }), ...headers },
  body: JSON.stringify(body),
})

/** Calls of the catalog at `origin` as the gateway makes them. */
export const catalogCalls = (origin: () => string) => ({
  /** Calls as a partner. A mutation gets a new idempotency key unless one is given; null: none. */
  async call(connectionId: string, method: string, target: string, { body, key = randomUUID(), headers }: Call = {}) {
    const full = `${BASE_PATH}${target}`
    const request =
      body === undefined ? { method, headers: { ...headers } } : mutation(method, headers ?? {}, key, body)
    return answerOf(await fetch(origin() + full, identified(full, request, partner(connectionId))))
  },

  /** Calls as an operator, for whom the idempotency key is optional. */
  async operate(method: string, path: string, body: unknown, headers: Record<string, string> = {}) {
    const request = mutation(method, { [TAKES_AUDIT_ENTRY_HEADER]: 'yes', ...headers }, null, body)
    return answerOf(await fetch(origin() + path, identified(path, request, { ...claims(), operator: 'olga' })))
  },
})
