import { AsyncLocalStorage } from 'node:async_hooks'
import { drawRandomBytes } from '../text/random-bytes.js'

/** Header of requests and messages that names their trace, W3C Trace Context §3.2. */
export const TRACEPARENT_HEADER = 'traceparent'

/** Position of a request in its trace: W3C Trace Context, level 1. */
export interface TraceContext {
  /** 32 hex digits, the same for the whole trace. */
  traceId: string
  /** 16 hex digits: this process's part of the trace. */
  spanId: string
  /** Two hex digits, passed on unchanged; `00` for a trace that begins here. */
  flags: string
  /** Whether the span is another process's. */
  isRemote?: boolean
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const NO_TRACE = '0'.repeat(32)
const NO_SPAN = '0'.repeat(16)
const OUR_VERSION = '00'
const INVALID_VERSION = 'ff'

/** Parses the header. Later versions may have further fields; in version 00 they are a fault. */
function accepted(header: string | undefined): RegExpExecArray | null {
  const match = header === undefined ? null : TRACEPARENT.exec(header)
  if (!match || match[2] === NO_TRACE || match[3] === NO_SPAN || match[1] === INVALID_VERSION) return null
  return match[1] === OUR_VERSION && match[5] !== undefined ? null : match
}

const TRACE_BYTES = 16
const SPAN_BYTES = 8

const randomHex = (bytes: number): string => drawRandomBytes(bytes).toString('hex')

/** Parses the caller's trace context; null when the header is absent or invalid. */
export function traceIn(header: string | string[] | null | undefined): TraceContext | null {
  const match = accepted(typeof header === 'string' ? header : undefined)
  return match && { traceId: match[2]!, spanId: match[3]!, flags: match[4]!, isRemote: true }
}

/** The trace of a request: the caller's if its header is valid, else a new one; in either case with a new span. */
export function traceFrom(header: string | string[] | undefined): TraceContext {
  const { traceId = randomHex(TRACE_BYTES), flags = '00' } = traceIn(header) ?? {}
  return { traceId, spanId: randomHex(SPAN_BYTES), flags }
}

/** Header text for the next process. */
export const traceparentOf = ({ traceId, spanId, flags }: TraceContext): string =>
  `${OUR_VERSION}-${traceId}-${spanId}-${flags}`

const current = new AsyncLocalStorage<TraceContext>()

/** Runs `work` with the trace as the current one, also for everything that it starts. */
export const withinTrace = <T>(trace: TraceContext, work: () => T): T => current.run(trace, work)

/** The trace of the current work, null outside of any request. */
export const currentTrace = (): TraceContext | null => current.getStore() ?? null

/** The current trace as a `traceparent`. */
export function currentTraceparent(): string | null {
  const trace = current.getStore()
  return trace ? traceparentOf(trace) : null
}
