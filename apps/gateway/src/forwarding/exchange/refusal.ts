import type { ServerResponse } from 'node:http'
import type { ErrorBody, ErrorInfo, ServiceError } from '@connectivity/contracts/errors'
import { answerHeaders, type RequestRecord } from '@connectivity/service-kit/http'
import type { AnswerReader } from '../answers/streamed-answer.js'

/** Properties of a request that its refusal shows. */
export interface Refused {
  /** Correlation id. */
  id: string
  /** Headers added to every answer. */
  addedHeaders: Record<string, string> | undefined
  record: RequestRecord
}

type Noted = Pick<ServiceError | ErrorInfo, 'code' | 'message' | 'details'>

/** Writes a refusal directly to the response, after `reply.hijack()` has taken it from Fastify. */
export function answerRefusal(
  response: ServerResponse,
  { id, addedHeaders, record }: Refused,
  refusal: ServiceError,
): void {
  const body = JSON.stringify(refusal.body(id))
  response.setHeader('content-length', Buffer.byteLength(body))
  noteRefusal(record, refusal)
  response.writeHead(refusal.status, { ...answerHeaders(id, refusal), ...addedHeaders }).end(body)
}

/** Clears the error that an earlier look recorded, if that answer was held back. */
export const forgetRefusal = (record: RequestRecord): void =>
  void Object.assign(record, { code: null, message: null, details: undefined })

/** Longest refusal whose faults are noted, bytes; a hundred faults take less than half of it. */
const MOST_READ = 64 * 1024

/** Copies code, message and faults of a service's refusal to the log line. */
export function refusalReader(record: RequestRecord): AnswerReader {
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    read(chunk) {
      bytes += chunk.length
      if (bytes <= MOST_READ) chunks.push(chunk)
    },
    end() {
      if (bytes <= MOST_READ) noteRefusalIn(record, Buffer.concat(chunks).toString())
    },
  }
}

/** Copies code, message and faults of a refusal from its body. */
export function noteRefusalIn(record: RequestRecord, body: string): void {
  const error = errorIn(body)
  if (error) noteRefusal(record, error)
}

function errorIn(body: string): ErrorInfo | undefined {
  try {
    return (JSON.parse(body) as Partial<ErrorBody>).error
  } catch {
    return undefined
  }
}

const noteRefusal = (record: RequestRecord, { code, message, details }: Noted): void =>
  void Object.assign(record, { code, message, details })
