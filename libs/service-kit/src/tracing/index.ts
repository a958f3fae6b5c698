export { beginSpan, makeSpansWith, type OpenSpan, type SpanEnd, spansAreMade, type SpanStart } from './spans.js'
export {
  currentTrace,
  currentTraceparent,
  type TraceContext,
  traceFrom,
  traceIn,
  TRACEPARENT_HEADER,
  traceparentOf,
  withinTrace,
} from './trace-context.js'
export { tracingKeys } from './tracing-keys.js'
