// Judges whether the description promises an answer, for any request, and whether enough requests succeeded.
import type { Schemas } from '@connectivity/testing/schemas'
import type { Description, Operation, Schema } from './description.ts'
import type { Answer } from './request.ts'

/** Successes that every operation needs in a run of `FULL_RUN` inputs, and in proportion in a shorter one. */
const LEAST_SUCCESSES = 100
export const FULL_RUN = 100_000

const parsed = (text: string): { value?: unknown; fault?: string } => {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return { fault: 'the body is not JSON' }
  }
}

const fits = (pattern: string, segment: string) => (pattern.startsWith('{') ? segment !== '' : pattern === segment)

/** The operation that serves a path as it was sent, null when there is none; literal segments win over parameters. */
export function operationFor(document: Description, method: string, path: string): Operation | null {
  const segments = path.split('?', 1)[0]!.split('/')
  const templates = Object.keys(document.paths).filter((template) => {
    const patterns = template.split('/')
    return patterns.length === segments.length && patterns.every((pattern, index) => fits(pattern, segments[index]!))
  })
  const [best = ''] = templates.toSorted((a, b) => a.split('{').length - b.split('{').length)
  return document.paths[best]?.[method.toLowerCase()] ?? null
}

/** Statuses of a path that no operation serves. */
const UNSERVED = new Set([400, 401, 404, 405, 413, 414, 429, 431])
const errorSchema: Schema = { $ref: '#/components/schemas/ErrorBody' }

interface Promised {
  operation: Operation | null
  schemas: Schemas
}

interface DescribedResponse {
  content?: { 'application/json'?: { schema: Schema } }
}

const describedIn = ({ operation, schemas }: Promised, status: number): DescribedResponse | null => {
  if (operation === null)
    return UNSERVED.has(status) ? { content: { 'application/json': { schema: errorSchema } } } : null
  const response = operation.responses[status]
  return response === undefined ? null : schemas.resolved<DescribedResponse>(response)
}

function faultsOfBody({ schemas }: Promised, schema: Schema, { status, headers, text }: Answer): string[] {
  const { value, fault } = parsed(text)
  if (fault !== undefined) return [fault]
  const correlationId = (value as { error?: { correlation_id?: string } } | null)?.error?.correlation_id
  // A replayed answer has the bytes of the first.
  const isFirst = headers['idempotent-replayed'] === undefined
  const isAnother = status >= 400 && isFirst && correlationId !== headers['x-correlation-id']
  return [...schemas.faults(schema, value), ...(isAnother ? ['two correlation ids'] : [])]
}

/** Faults of an answer; empty when the description promises it. */
export function faultsOf(promised: Promised, answer: Answer): string[] {
  const { status, headers, text } = answer
  const faults = status >= 500 ? [`answered ${status}`] : []
  const described = describedIn(promised, status)
  if (described === null) return [...faults, `status ${status} is not described`]
  if (typeof headers['x-correlation-id'] !== 'string') faults.push('no X-Correlation-Id')
  const schema = described.content?.['application/json']?.schema
  if (schema) return [...faults, ...faultsOfBody(promised, schema, answer)]
  return text === '' ? faults : [...faults, 'a body where none is described']
}

/** How often each status was answered. */
export type Statuses = Map<number, number>

/** Number of 2xx answers. */
export const successesOf = (statuses: Statuses): number =>
  [...statuses].reduce((sum, [status, count]) => (status >= 200 && status < 300 ? sum + count : sum), 0)

/** Successes that every operation needs in a run of so many inputs. */
export const leastSuccesses = (inputs: number): number =>
  Math.min(LEAST_SUCCESSES, Math.ceil((LEAST_SUCCESSES * inputs) / FULL_RUN))

/** Operations that rarely succeeded: their distortions start from requests that are not good. */
export const seldomSuccessful = (statuses: ReadonlyMap<string, Statuses>, inputs: number): string[] =>
  [...statuses].filter(([, times]) => successesOf(times) < leastSuccesses(inputs)).map(([name]) => name)
