// The only code here that talks to the service.
import type { ErrorDetail } from '@connectivity/contracts/errors'
import type { ConnectionWarning } from '@connectivity/contracts/operators-api'
import type { Pagination } from '@connectivity/contracts/reservation'
import type { Query, ServiceRequest } from './request.ts'

const PATIENCE = 30_000
const LARGEST_PAGE = 100

/** Address and token of an operators' interface. */
export interface Access {
  /** With `/ops/v1`. */
  base: string
  /** An operator's JWT. */
  token: string
}

/** The parts of the service's bodies and records that this tool reads. */
export interface AnswerRecord {
  [field: string]: unknown
  warnings?: ConnectionWarning[]
  /** Bytes of the message; only in dead letters. */
  value_base64?: string
  /** Only in lists. */
  pagination?: Pagination
}

/** The body of a list. */
interface Page extends AnswerRecord {
  pagination: Pagination
}

/** Answer of the service, as text and parsed. */
export interface Answer<Body extends AnswerRecord = AnswerRecord> {
  text: string
  json: Body
}

/** A fault that the service found; one of another release may have no message. */
export type ServiceFault = Pick<ErrorDetail, 'pointer' | 'code'> & Partial<ErrorDetail>

/** The `error` of the service's answer, which may be that of another release. */
export interface ServiceError {
  code: string
  message: string
  correlation_id?: string
  details?: ServiceFault[]
  retry_after_seconds?: number
}

/** Any answer over HTTP. */
interface HttpAnswer {
  ok: boolean
  status: number
  correlationId: string | null
  text: string
}

/** Start and length of the wanted part of a list. */
interface Wanted {
  /** Absent: one page of the service's own size; Infinity: everything. */
  limit: number | undefined
  cursor: string | undefined
}

/** An error of fetch; its cause says more. */
interface FetchError extends Error {
  cause?: NodeJS.ErrnoException
}

/** The records of a list, which are in its field `noun`. */
export const recordsOf = (json: AnswerRecord, noun: string): AnswerRecord[] => json[noun] as AnswerRecord[]

/** The service refused the call, or its answer was not understood. */
export class Refused extends Error {
  readonly status: number
  /** The body as received. */
  readonly text: string
  readonly correlationId: string | null
  /** Absent when the answer is not the service's own. */
  readonly error: ServiceError | undefined

  constructor(status: number, text: string, correlationId: string | null) {
    super(`the service answered ${status}`)
    this.status = status
    this.text = text
    this.correlationId = correlationId
    this.error = errorOf(text)
  }
}

/** The service could not be reached. */
export class Unreachable extends Error {}

/** The JSON in `text`; undefined when it is not JSON. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorOf = (text: string): ServiceError | undefined =>
  (parsed(text) as { error?: ServiceError } | null | undefined)?.error

const words = (error: FetchError): string => error.cause?.code ?? error.cause?.message ?? error.message

/** One gateway's operators' interface with one operator's token. */
export class OperatorsInterface {
  readonly #base: string
  readonly #token: string

  constructor({ base, token }: Access) {
    this.#base = base
    this.#token = token
  }

  /** @throws Refused, Unreachable */
  async send({ method, path, query, body, key }: ServiceRequest): Promise<Answer> {
    const texts = [...query].map(([name, value]): [string, string] => [name, String(value)])
    const parameters = new URLSearchParams(texts).toString()
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#token}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const answer = await this.#fetch(`${path}${parameters && `?${parameters}`}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    const json = parsed(answer.text) as AnswerRecord | null | undefined
    if (answer.ok && json?.schema_version !== undefined) return { text: answer.text, json }
    throw new Refused(answer.status, answer.text, answer.correlationId)
  }

  /**
   * Follows cursors to the end or until `limit` is reached; Infinity for everything. A single page is returned
   * unchanged; several pages become one with all records and the other fields of the last page. `noun` is the field of
   * the answer that has the records.
   */
  async list(request: ServiceRequest, noun: string, { limit, cursor }: Wanted): Promise<Answer<Page>> {
    const records: AnswerRecord[] = []
    for (let next: string | null | undefined = cursor, page; ; next = page.json.pagination.next_cursor) {
      const size = limit === undefined ? undefined : Math.min(LARGEST_PAGE, limit - records.length)
      page = (await this.send({ ...request, query: paged(request.query, size, next) })) as Answer<Page>
      const isOnly = records.length === 0
      records.push(...recordsOf(page.json, noun))
      if (page.json.pagination.next_cursor === null || limit === undefined || records.length >= limit) {
        return isOnly ? page : joined(page.json, noun, records)
      }
    }
  }

  async #fetch(target: string, options: RequestInit): Promise<HttpAnswer> {
    try {
      const signal = AbortSignal.timeout(PATIENCE)
      const answer = await fetch(this.#base + target, { ...options, redirect: 'manual', signal })
      const { ok, status, headers } = answer
      return { ok, status, correlationId: headers.get('x-correlation-id'), text: await answer.text() }
    } catch (error) {
      throw new Unreachable(
        `${this.#base} cannot be reached (${words(error as FetchError)}); start it, or correct the address.`,
      )
    }
  }
}

/** The query of one page. */
function paged(query: Query, size: number | undefined, cursor: string | null | undefined): Query {
  const parameters = new Map(query)
  if (size !== undefined) parameters.set('limit', size)
  if (cursor) parameters.set('cursor', cursor)
  return parameters
}

function joined({ pagination, ...rest }: Page, noun: string, records: AnswerRecord[]): Answer<Page> {
  const count = records.length
  const json: Page = { ...rest, [noun]: records, pagination: { ...pagination, limit: count, count } }
  return { json, text: JSON.stringify(json) }
}
