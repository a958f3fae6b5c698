import type { TraceContext } from './trace-context.js'

/** Ids and figures, never secrets, bodies or guest data; absent ones are left out. */
export type SpanAttributes = Record<string, string | number | undefined>

/** Data of a span at its beginning. */
export interface SpanStart {
  name: string
  /** OpenTelemetry's span kind. */
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /** Parent span; null begins a trace. */
  parent: TraceContext | null
  attributes?: SpanAttributes
  /** Other related spans. */
  links?: readonly TraceContext[]
}

/** Data that is known only at the end of a span. */
export interface SpanEnd {
  /** Replaces the name from the beginning. */
  name?: string
  attributes?: SpanAttributes
  failed?: boolean
}

/** A span being recorded. */
export interface OpenSpan {
  /** The span's place in its trace, for the work that it causes. */
  readonly trace: TraceContext
  /** Ends the span; call it once. */
  end: (outcome: SpanEnd) => void
}

/** Makes spans; see `startTracing`. */
export type BeginSpan = (start: SpanStart) => OpenSpan

let begin: BeginSpan | null = null

/** Makes `beginSpan` create spans with the maker from now on, or none (null). */
export const makeSpansWith = (maker: BeginSpan | null): void => void (begin = maker)

/** Whether spans are made, so that collecting their attributes is worthwhile. */
export const spansAreMade = (): boolean => begin !== null

/** Begins a span; null, at no cost, while none are made. */
export const beginSpan = (start: SpanStart): OpenSpan | null => begin && begin(start)
