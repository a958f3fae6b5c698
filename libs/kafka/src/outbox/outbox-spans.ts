import {
  beginSpan,
  type OpenSpan,
  spansAreMade,
  traceIn,
  TRACEPARENT_HEADER,
  traceparentOf,
} from '@connectivity/service-kit/tracing'
import type { OutboxRow } from './outbox-rows.store.js'

/**
 * Spans of messages sent to the broker. Each message that names a trace has a span there, which is passed on to its
 * readers. While no spans are created, the messages stay unchanged and this does nothing.
 */
export class OutboxSpans {
  readonly rows: readonly OutboxRow[]
  private readonly spans: OpenSpan[] = []

  constructor(rows: readonly OutboxRow[]) {
    this.rows = spansAreMade() ? rows.map((row) => this.begin(row)) : rows
  }

  /** Ends all spans. */
  end(failed: boolean): void {
    for (const span of this.spans) span.end({ failed })
  }

  private begin(row: OutboxRow): OutboxRow {
    const { topic, headers } = row
    const parent = traceIn(headers?.[TRACEPARENT_HEADER])
    if (!parent) return row
    const attributes = {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'send',
      'messaging.destination.name': topic,
    }
    const span = beginSpan({ name: `send ${topic}`, kind: 'producer', parent, attributes })!
    this.spans.push(span)
    return { ...row, headers: { ...headers, [TRACEPARENT_HEADER]: traceparentOf(span.trace) } }
  }
}
