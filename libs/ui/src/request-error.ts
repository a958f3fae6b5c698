/** One fault of a refused request, as the interface names it. */
export interface RequestFault {
  pointer: string
  code: string
  message: string
}

/** A request that was refused or got no answer. */
export class RequestError extends Error {
  /** HTTP status; 0 without an answer. */
  readonly status: number
  readonly code: string | null
  readonly correlationId: string | null
  readonly details: readonly RequestFault[]
  /** Pause that the answer asks for, ms; 0 without one. */
  readonly retryAfter: number

  constructor(
    message: string,
    given: {
      status: number
      code?: string
      correlationId?: string | null
      details?: readonly RequestFault[]
      retryAfter?: number
    },
  ) {
    super(message)
    this.name = 'RequestError'
    this.status = given.status
    this.code = given.code ?? null
    this.correlationId = given.correlationId ?? null
    this.details = given.details ?? []
    this.retryAfter = given.retryAfter ?? 0
  }
}

interface ErrorBody {
  error?: { code: string; message: string; correlation_id: string; details?: RequestFault[] }
}

/** Result of a call by a client generated from an OpenAPI document. */
interface Exchanged<T> {
  data?: T
  error?: unknown
  response: Response
}

/**
 * The answer of a request.
 * @throws RequestError for a refusal, and when the service cannot be reached
 */
export async function answerOf<T>(request: Promise<Exchanged<T>>): Promise<T> {
  const { data, error, response } = await request.catch(() => {
    throw new RequestError('The service cannot be reached; check your connection and try again.', { status: 0 })
  })
  if (response.ok) return data as T
  throw refusal(error as ErrorBody | undefined, response)
}

function refusal(body: ErrorBody | undefined, { status, headers }: Response): RequestError {
  const refused = body?.error
  const answer = { status, retryAfter: 1_000 * Number(headers.get('retry-after')) || 0 }
  if (!refused) {
    return new RequestError(`The service answered ${status}.`, {
      ...answer,
      correlationId: headers.get('x-correlation-id'),
    })
  }
  const { message, code, correlation_id: correlationId, details = [] } = refused
  return new RequestError(message, { ...answer, code, correlationId, details })
}

const NOT_FOUND = 404
const TOO_MANY = 429
const SERVER_ERROR = 500

/** Whether the same request may succeed a moment later. */
export const mayPass = (error: unknown): boolean =>
  error instanceof RequestError && (error.status === 0 || error.status === TOO_MANY || error.status >= SERVER_ERROR)

/** Pause before the same request may succeed, ms. */
export const pauseAfter = (error: unknown): number => (error instanceof RequestError ? error.retryAfter : 0)

/** Whether the requested thing does not exist. */
export const isNotFound = (error: unknown): boolean => error instanceof RequestError && error.status === NOT_FOUND

/** The faults that a refusal names. */
export const faultsOf = (error: Error | null): readonly RequestFault[] =>
  error instanceof RequestError ? error.details : []
