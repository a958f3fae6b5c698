import {
  beginSpan,
  currentTrace,
  type OpenSpan,
  type SpanEnd,
  spansAreMade,
  traceIn,
} from '@connectivity/service-kit/tracing'
import type { Outcome, SendRequest } from './sender.js'

/** Begins the span of an attempt; it holds neither address nor content. */
export function beginAttempt({ callback, attempt, traceparent }: SendRequest): OpenSpan | null {
  if (!spansAreMade()) return null
  return beginSpan({
    name: 'POST callback',
    kind: 'client',
    parent: traceIn(traceparent) ?? currentTrace(),
    attributes: {
      'http.request.method': 'POST',
      'connectivity.connection_id': callback,
      'connectivity.event_id': attempt?.eventId,
      'connectivity.event_type': attempt?.type,
      'connectivity.delivery_attempt': attempt && String(attempt.attempt),
    },
  })
}

/** How the attempt ended. */
export const asSpan = ({ status, error }: Outcome): SpanEnd => ({
  failed: status === null || status >= 300,
  attributes: { 'http.response.status_code': status ?? undefined, 'error.type': error ?? undefined },
})
