import { setTimeout as delay } from 'node:timers/promises'
import { type Attributes, ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Logger } from '../logging/logging.js'
import { samplerOf } from './sampling.js'
import { makeSpansWith, type OpenSpan, type SpanAttributes, type SpanStart } from './spans.js'
import type { TraceContext } from './trace-context.js'
import type { TracingConfig } from './tracing-keys.js'
import { WatchedExporter } from './watched-exporter.js'

/** Most spans that wait for their export; further ones are dropped, so an absent collector costs traces, not memory. */
const MOST_WAITING = 8_192
/** Time between two exports, ms. */
const EXPORT_EVERY = 2_000
/** Longest time for the export of the last spans when the service stops, ms. */
const FLUSH_LIMIT = 3_000

/** Process whose spans are recorded, and their destination. */
export interface TracingOptions {
  service: string
  /** Name of the process among those of its service. */
  instance: string | undefined
  /** URL to which spans are sent. */
  endpoint: string
  config: TracingConfig
  /** Whether callers are outside the system; they do not decide what is recorded. */
  isBorder: boolean
}

/**
 * Records spans from now on and sends them to the collector. No work waits for the export or fails because of it.
 * @returns a function that sends the remaining spans within 3 s and stops; it never rejects
 */
export function startTracing(options: TracingOptions, log: Logger): () => Promise<void> {
  const { endpoint: url, config } = options
  const exporter = new OTLPTraceExporter({ url, headers: { ...config.OTEL_EXPORTER_OTLP_HEADERS } })
  const processor = new BatchSpanProcessor({
    exporter: new WatchedExporter(exporter, log),
    maxQueueSize: MOST_WAITING,
    scheduledDelayMillis: EXPORT_EVERY,
  })
  const provider = new TracerProvider({
    resource: resourceOf(options),
    sampler: samplerOf(config, options.isBorder),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('@connectivity/service-kit')
  makeSpansWith((start) => begin(tracer, start))
  return async () => {
    makeSpansWith(null)
    await Promise.race([provider.shutdown().catch(() => undefined), delay(FLUSH_LIMIT)])
  }
}

function resourceOf({ service, instance, config }: TracingOptions) {
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': service, 'service.instance.id': instance }))
    .merge(resourceFromAttributes(config.OTEL_RESOURCE_ATTRIBUTES))
}

const kinds: Record<SpanStart['kind'], SpanKind> = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
}

const spanContextOf = ({ traceId, spanId, flags, isRemote = false }: TraceContext): SpanContext => ({
  traceId,
  spanId,
  traceFlags: parseInt(flags, 16),
  isRemote,
})

const traceOf = ({ traceId, spanId, traceFlags }: SpanContext): TraceContext => ({
  traceId,
  spanId,
  flags: traceFlags.toString(16).padStart(2, '0'),
})

function begin(tracer: ReturnType<TracerProvider['getTracer']>, start: SpanStart): OpenSpan {
  const { name, kind, parent, attributes = {}, links = [] } = start
  const context = parent ? trace.setSpanContext(ROOT_CONTEXT, spanContextOf(parent)) : ROOT_CONTEXT
  const span = tracer.startSpan(
    name,
    {
      kind: kinds[kind],
      attributes: present(attributes),
      links: links.map((link) => ({ context: spanContextOf(link) })),
    },
    context,
  )
  return {
    trace: traceOf(span.spanContext()),
    end: (outcome) => {
      if (outcome.name !== undefined) span.updateName(outcome.name)
      span.setAttributes(present(outcome.attributes ?? {}))
      if (outcome.failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

const present = (attributes: SpanAttributes): Attributes =>
  Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
