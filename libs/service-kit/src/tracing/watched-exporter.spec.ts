import { jest } from '@jest/globals'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Logger } from '../logging/logging.js'
import { WatchedExporter } from './watched-exporter.js'

const spans = (count: number) => Array.from({ length: count }, () => ({}) as ReadableSpan)

describe('an exporter whose collector is away', () => {
  beforeEach(() => void jest.useFakeTimers({ now: 0 }))
  afterEach(() => void jest.useRealTimers())

  it('logs the number of lost spans once a minute, and nothing while exports succeed', () => {
    const lines: object[] = []
    let code = 0
    const inner = { export: (_spans, done) => done({ code }), shutdown: async () => undefined } satisfies SpanExporter
    const log = { warn: (line: object) => lines.push(line) } as unknown as Logger
    const exporter = new WatchedExporter(inner as SpanExporter, log)
    const results: number[] = []
    const send = (count: number) => exporter.export(spans(count), (result) => results.push(result.code))
    send(3)
    expect(lines).toEqual([])
    code = 1
    send(3)
    send(4)
    jest.advanceTimersByTime(59_999)
    send(5)
    expect(lines).toEqual([{ err: undefined, spans: 3 }])
    jest.advanceTimersByTime(1)
    send(1)
    expect(lines).toEqual([
      { err: undefined, spans: 3 },
      { err: undefined, spans: 10 },
    ])
    expect(results).toEqual([0, 1, 1, 1, 1])
  })
})
