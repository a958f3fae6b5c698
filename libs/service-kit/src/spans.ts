import type { TraceContext } from './trace-context.js'

/** Ids and figures, never secrets, bodies or guest data; absent ones are left out. */
export type SpanAttributes = Record<string, string | number | undefined>

/** A piece of work when it begins. */
export interface SpanStart {
  name: string
  /** What it is, in OpenTelemetry's words. */
  kind: 'server' | 'client' | 'producer' | 'consumer'
  /** What it is part of; null: nothing, it begins a trace. */
  parent: TraceContext | null
  attributes?: SpanAttributes
  /** What else it has to do with. */
  links?: readonly TraceContext[]
}

/** What is known of it only at its end. */
export interface SpanEnd {
  /** Replaces the name that it began with. */
  name?: string
  attributes?: SpanAttributes
  failed?: boolean
}

/** A piece of work that is being recorded. */
export interface OpenSpan {
  /** Where the work stands, for those whom it causes something. */
  readonly trace: TraceContext
  /** Once. */
  end: (outcome?: SpanEnd) => void
}

/** Makes spans; see `startTracing`. */
export type BeginSpan = (start: SpanStart) => OpenSpan

let begin: BeginSpan | null = null

/** Has spans made from now on, or no more. */
export const makeSpansWith = (maker: BeginSpan | null): void => void (begin = maker)

/** Whether it is worth the while to gather what a span says. */
export const spansAreMade = (): boolean => begin !== null

/** Begins a span; null, at no cost, while none are made. */
export const beginSpan = (start: SpanStart): OpenSpan | null => begin && begin(start)
