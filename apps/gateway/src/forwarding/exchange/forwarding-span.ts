import type { ServiceName } from '@connectivity/contracts/identity'
import {
  beginSpan,
  type OpenSpan,
  type TraceContext,
  TRACEPARENT_HEADER,
  traceparentOf,
} from '@connectivity/service-kit/tracing'

/** The span of a request to a service, a child of the request that caused it. */
export class ForwardingSpan {
  private readonly span: OpenSpan | null

  /** Adds the trace context to the request's headers. */
  constructor(
    trace: TraceContext,
    service: ServiceName,
    { method, headers }: { method: string; headers: Record<string, string> },
  ) {
    const attributes = { 'http.request.method': method, 'peer.service': service }
    this.span = beginSpan({ name: `${method} ${service}`, kind: 'client', parent: trace, attributes })
    headers[TRACEPARENT_HEADER] = traceparentOf(this.span?.trace ?? trace)
  }

  /** @param status status of the answer, 0 when there was none */
  end(status: number, failed = status === 0): void {
    this.span?.end({ attributes: { 'http.response.status_code': status || undefined }, failed })
  }
}
