import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../logging/logging.js'

type Done = Parameters<SpanExporter['export']>[1]
const SUCCESS = 0

/** Shortest time between two log lines about a collector that does not answer, ms. */
const WARN_EVERY = 60_000

/** Logs lost spans, once a minute at most; the SDK itself does not. */
export class WatchedExporter implements SpanExporter {
  private lost = 0
  private warnedAt = -Infinity

  constructor(
    private readonly exporter: SpanExporter,
    private readonly log: Logger,
  ) {}

  export(spans: ReadableSpan[], done: Done): void {
    this.exporter.export(spans, (result) => {
      if (result.code !== SUCCESS) this.note(spans.length, result.error)
      done(result)
    })
  }

  shutdown(): Promise<void> {
    return this.exporter.shutdown()
  }

  async forceFlush(): Promise<void> {
    await this.exporter.forceFlush?.()
  }

  private note(spans: number, err: Error | undefined): void {
    this.lost += spans
    const now = performance.now()
    if (now - this.warnedAt < WARN_EVERY) return
    this.log.warn({ err, spans: this.lost }, 'traces could not be exported')
    this.warnedAt = now
    this.lost = 0
  }
}
