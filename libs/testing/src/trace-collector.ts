import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Value {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
}

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  links?: { traceId: string; spanId: string }[]
  attributes?: { key: string; value: Value }[]
  status?: { code?: number }
}

/** The part of a body sent to `/v1/traces` that tests read. */
interface OtlpTraces {
  resourceSpans: { resource: Pick<OtlpSpan, 'attributes'>; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

const kinds = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer'] as const

/** A span as a test sees it. */
export interface CollectedSpan {
  service: string
  name: string
  kind: (typeof kinds)[number]
  traceId: string
  spanId: string
  /** Null for the first span of a trace. */
  parent: string | null
  /** ms since 1970, with fractions, as are ends. */
  beganAt: number
  endedAt: number
  links: readonly { traceId: string; spanId: string }[]
  attributes: Record<string, string | number | undefined>
  failed: boolean
}

const FAILED = 2

const attributesOf = ({ attributes = [] }: Pick<OtlpSpan, 'attributes'>): CollectedSpan['attributes'] =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue ?? value.doubleValue)]),
  )

const NANOSECONDS = 1e6

const toSpan = (service: string, span: OtlpSpan): CollectedSpan => ({
  service,
  name: span.name,
  kind: kinds[span.kind]!,
  traceId: span.traceId,
  spanId: span.spanId,
  parent: span.parentSpanId || null,
  beganAt: Number(span.startTimeUnixNano) / NANOSECONDS,
  endedAt: Number(span.endTimeUnixNano) / NANOSECONDS,
  links: span.links ?? [],
  attributes: attributesOf(span),
  failed: span.status?.code === FAILED,
})

/** A collector of traces over OTLP/HTTP with JSON, for a test or a benchmark. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = []
  /** Text of all received bodies. */
  text = ''
  /** Headers of the last request. */
  headers: IncomingHttpHeaders = {}
  /** Set to let requests hang. */
  isStuck = false

  private readonly server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (this.isStuck) return
      this.headers = request.headers
      if (request.method === 'POST' && request.url === '/v1/traces') this.take(Buffer.concat(chunks).toString())
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    })
  })

  /** Listens on a free port of this machine. */
  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1')
    await once(this.server, 'listening')
    return this
  }

  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }

  /** Stops listening at its address. */
  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  /** The spans of one trace. */
  trace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId)
  }

  private take(text: string): void {
    this.text += text
    for (const { resource, scopeSpans } of (JSON.parse(text) as OtlpTraces).resourceSpans) {
      const service = String(attributesOf(resource)['service.name'])
      for (const { spans } of scopeSpans) this.spans.push(...spans.map((span) => toSpan(service, span)))
    }
  }
}
