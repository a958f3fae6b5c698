import type { FencedPartition } from '@connectivity/database'
import {
  beginSpan,
  type OpenSpan,
  spansAreMade,
  traceIn,
  traceparentOf,
  withinTrace,
} from '@connectivity/service-kit/tracing'
import type { ConsumedMessage } from './topic-batch.js'

/** Most messages that a span links to, the first ones of the batch; the SDK has the same limit. */
const MOST_LINKS = 128

/**
 * Spans of messages in a consumer. Each message has a span in the trace that its header names, or in a new one, and the
 * batch has its own span with links to them. While no spans are created, the messages stay unchanged and this does
 * nothing.
 */
export class BatchSpans {
  readonly messages: readonly ConsumedMessage[]
  private readonly spans = new Map<bigint, OpenSpan>()
  private readonly batch: OpenSpan | null = null

  constructor(
    readonly source: FencedPartition,
    messages: readonly ConsumedMessage[],
  ) {
    this.messages = messages
    if (!spansAreMade()) return
    const name = `process ${source.topic}`
    const common = {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.destination.name': source.topic,
      'messaging.destination.partition.id': String(source.partition),
      'messaging.consumer.group.name': source.group,
    }
    this.messages = messages.map((message) => {
      const attributes = { ...common, 'messaging.kafka.offset': Number(message.offset) }
      const span = beginSpan({ name, kind: 'consumer', parent: traceIn(message.traceparent), attributes })!
      this.spans.set(message.offset, span)
      return { ...message, traceparent: traceparentOf(span.trace) }
    })
    const links = [...this.spans.values()].slice(0, MOST_LINKS).map(({ trace }) => trace)
    const attributes = { ...common, 'messaging.batch.message_count': messages.length }
    this.batch = beginSpan({ name: `${name} batch`, kind: 'consumer', parent: null, attributes, links })
  }

  /**
   * Runs `work` in the batch's trace, for effects that belong to no single message.
   * @param work returns false when it had no effect: another member has the partition, or we stop
   */
  async around(work: () => Promise<boolean>): Promise<boolean> {
    if (!this.batch) return work()
    let done = false
    try {
      return (done = await withinTrace(this.batch.trace, work))
    } finally {
      for (const span of [...this.spans.values(), this.batch]) span.end({ failed: !done })
    }
  }

  /** Ends the message's span as failed. */
  setAside({ offset }: ConsumedMessage): void {
    this.spans.get(offset)?.end({ failed: true, attributes: { 'error.type': 'dead_letter' } })
    this.spans.delete(offset)
  }
}
