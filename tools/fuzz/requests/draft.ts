// A request in parts, so that each can be distorted by itself.
import fc from 'fast-check'
import { type Parameter, referenced, type Target } from '../model/description.ts'
import { dateRange, type Facts, goodBody } from '../values/good-bodies.ts'
import type { SchemaValues } from '../values/schema-values.ts'
import { FRESH_KEY, PORTAL_HEADERS, type Request, type Signature } from '../model/request.ts'

export type Pair = readonly [name: string, value: string]

export interface Draft {
  method: string
  segments: string[]
  query: Pair[]
  headers: Record<string, string>
  /** JSON value of the body; undefined without one. */
  document: unknown
  /** Bytes of the body in place of the document. */
  raw?: string | Uint8Array
  signature: Signature
}

export const escaped = (text: string): string => encodeURIComponent(text.toWellFormed())

const bodyOf = ({ document, raw }: Draft): Request['body'] =>
  raw ?? (document === undefined ? null : JSON.stringify(document))

/** The request as it is sent. */
export function requestOf(draft: Draft): Request {
  const { method, segments, query, headers, signature } = draft
  const text = query.map((pair) => pair.join('=')).join('&')
  return {
    method,
    path: segments.join('/') + (text === '' ? '' : `?${text}`),
    headers,
    body: bodyOf(draft),
    signature,
  }
}

/** Draws requests that should succeed on one connection. */
export class GoodRequests {
  private readonly values: SchemaValues
  private readonly facts: Facts

  constructor(values: SchemaValues, facts: Facts) {
    this.values = values
    this.facts = facts
  }

  to(target: Target): fc.Arbitrary<Draft> {
    const { method, parameters, body, isSigned, isForPortal } = target
    const keyed = parameters.some(({ name }) => name === 'Idempotency-Key')
    return fc.record({
      method: fc.constant(method),
      segments: this.segments(target),
      query: this.query(target),
      headers: fc.constant({
        ...(keyed && { 'idempotency-key': FRESH_KEY }),
        ...(body && { 'content-type': 'application/json' }),
        ...(isForPortal && PORTAL_HEADERS),
      }),
      document: this.body(target),
      signature: fc.constant<Signature>(isSigned ? 'good' : 'none'),
    })
  }

  private body({ body }: Target): fc.Arbitrary<unknown> {
    if (body === null) return fc.constant(undefined)
    const good = body.$ref === undefined ? undefined : goodBody(referenced(body.$ref), this.facts)
    return good ?? this.values.of(body)
  }

  private segments({ template, parameters }: Target): fc.Arbitrary<string[]> {
    const segments = template.split('/').map((segment) => {
      const name = /^\{(.*)\}$/.exec(segment)?.[1]
      const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
      if (!parameter) return fc.constant(segment)
      return this.values.of(parameter.schema, idIn(template)).map((value) => escaped(String(value)))
    })
    return fc.tuple(...segments)
  }

  private query({ operationId, parameters }: Target): fc.Arbitrary<Pair[]> {
    const taken = parameters.filter((one) => one.in === 'query')
    const isRange = ({ name }: Parameter) => name === 'date_from' || name === 'date_to'
    const single = taken
      .filter((one) => !isRange(one))
      .map(({ name, schema, required }) => {
        const given = this.values
          .of(schema, name === 'cursor' ? `${operationId}.cursor` : name)
          .map((value): Pair[] => [[name, escaped(String(value))]])
        return required ? given : fc.oneof(given, fc.constant([]))
      })
    const range = dateRange.map(({ date_from, date_to }): Pair[] => [
      ['date_from', date_from],
      ['date_to', date_to],
    ])
    const all = taken.some(isRange) ? [...single, range] : single
    return fc.tuple(...all).map((lists) => lists.flat())
  }
}

/** Kind of object that the id in a path names. */
function idIn(template: string): string {
  if (template.includes('/reservations/events/')) return 'event_id'
  if (template.includes('/requests/')) return 'correlation_id'
  return template.includes('/reservations/') ? 'reservation_id' : 'property_id'
}
