import type { ServerResponse } from 'node:http'
import type { ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders } from '@connectivity/service-kit/error-envelope.filter'
import type { RequestRecord } from '@connectivity/service-kit/request-record'

/** Properties of a request that its refusal shows. */
export interface Refused {
  /** Correlation id. */
  id: string
  /** Headers added to every answer. */
  addedHeaders: Record<string, string> | undefined
  record: RequestRecord
}

/** Answers a request whose answer Fastify has handed over with a refusal of the gateway. */
export function answerRefusal(
  response: ServerResponse,
  { id, addedHeaders, record }: Refused,
  refusal: ServiceError,
): void {
  const body = JSON.stringify(refusal.body(id))
  const headers = { ...answerHeaders(id, refusal), ...addedHeaders, 'content-length': Buffer.byteLength(body) }
  record.code = refusal.code
  response.writeHead(refusal.status, headers).end(body)
}
