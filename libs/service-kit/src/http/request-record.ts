import type { ServerResponse } from 'node:http'
import type { ErrorDetail, ErrorInfo } from '@connectivity/contracts/errors'
import { STORED_ANSWER_HEADER, type StoredAnswerUse } from '@connectivity/contracts/request-log'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestDuration, requestsInFlight, requestsTotal } from './http-metrics.js'
import type { Logger } from '../logging/logging.js'
import { beginSpan, type OpenSpan, type SpanEnd, spansAreMade } from '../tracing/spans.js'
import { type TraceContext, TRACEPARENT_HEADER, traceFrom, traceIn, withinTrace } from '../tracing/trace-context.js'

/** Outcome of a request, for one wide log line and the metrics. */
export interface RequestRecord {
  readonly trace: TraceContext
  /** Whether the gateway sent it, for a partner or an operator; always false in the gateway itself. */
  isForwarded: boolean
  /** Template of the route, never what was sent; null until it is known. */
  route: string | null
  /** Code of the error answer. */
  code: string | null
  /** Message of the error answer. */
  message: string | null
  /** Faults that the error answer names. */
  details: readonly ErrorDetail[] | undefined
  /** Whether the answer to a change is the first one or a replay; null when it is not stored. */
  storedAnswer: StoredAnswerUse | null
  /** Time that the request spent waiting for a change, as it asked, ms. */
  waited: number
  /** Further fields of the line: ids and figures, never secrets, bodies or guest data. */
  readonly fields: Record<string, string | number>
}

declare module 'fastify' {
  interface FastifyRequest {
    record: RequestRecord
  }
}

/** Header in which services tell the gateway their error code; stripped before partners see the answer. */
export const ERROR_CODE_HEADER = 'x-internal-error-code'

/**
 * Adds code, message and faults of an error answer to the record here and, behind the gateway, the code there. A
 * request that Fastify refuses has no record.
 */
export function noteError(
  request: FastifyRequest,
  reply: FastifyReply,
  { code, message, details }: Pick<ErrorInfo, 'code' | 'message'> & { details?: readonly ErrorDetail[] | undefined },
): void {
  const { record } = request as Partial<FastifyRequest>
  if (record) Object.assign(record, { code, message, details })
  if (record?.isForwarded) void reply.header(ERROR_CODE_HEADER, code)
}

/** Adds to the record, here and in the gateway, that the answer to a change is stored for replays. */
export function noteStoredAnswer(request: FastifyRequest, reply: FastifyReply, use: StoredAnswerUse): void {
  request.record.storedAnswer = use
  if (request.record.isForwarded) void reply.header(STORED_ANSWER_HEADER, use)
}

/** Status of a request whose client went away before it was answered, as nginx counts it. */
export const CLIENT_GONE = 499
const NO_ROUTE = 'none'
const NO_METHOD = 'none'
const PROBES = /^\/(health\/(ready|live)|metrics)$/
/** Methods that cause no messages; all others pass their trace on to the messages. */
const READS = new Set(['GET', 'HEAD'])

/** Records every request of the listener from its first hook to the end of its answer, hijacked ones too. */
export function recordRequests(fastify: FastifyInstance, log: Logger): void {
  fastify.decorateRequest('record', null as unknown as RequestRecord)
  fastify.addHook('onRequest', (request: FastifyRequest, reply: FastifyReply, done) => {
    const span = spanOf(request)
    const trace = span?.trace ?? traceFrom(request.headers[TRACEPARENT_HEADER])
    request.record = {
      trace,
      isForwarded: false,
      route: null,
      code: null,
      message: null,
      details: undefined,
      storedAnswer: null,
      waited: 0,
      fields: {},
    }
    watch(request, reply.raw, log, span)
    if (READS.has(request.method)) return done()
    withinTrace(trace, done)
  })
}

function spanOf({ headers, method, routeOptions }: FastifyRequest): OpenSpan | null {
  if (!spansAreMade() || PROBES.test(routeOptions.url ?? '')) return null
  return beginSpan({ name: method, kind: 'server', parent: traceIn(headers[TRACEPARENT_HEADER]) })
}

function watch(request: FastifyRequest, response: ServerResponse, log: Logger, span: OpenSpan | null): void {
  const startedAt = performance.now()
  const { socket } = request.raw
  const bytesBefore = socket.bytesWritten
  requestsInFlight.inc()
  // Emitted once, for finished and for aborted answers.
  response.on('close', () => {
    requestsInFlight.dec()
    const { waited, fields } = request.record
    const milliseconds = performance.now() - startedAt - waited
    if (waited > 0) fields.waited_ms = rounded(waited)
    const figures = { duration_ms: rounded(milliseconds), bytes: socket.bytesWritten - bytesBefore }
    const line = { ...summary(request, response), ...fields, ...figures }
    requestsTotal.inc({ route: line.route, method: line.method, status: line.status, code: line.code ?? '' })
    requestDuration.observe({ route: line.route, method: line.method }, milliseconds / 1000)
    const level = PROBES.test(line.route) ? 'debug' : 'info'
    log[level](line, 'request')
    span?.end(asSpan(line))
  })
}

function summary(request: FastifyRequest, response: ServerResponse) {
  const { record } = request
  return {
    method: request.method,
    route: record.route ?? request.routeOptions.url ?? NO_ROUTE,
    status: response.headersSent ? response.statusCode : CLIENT_GONE,
    code: record.code ?? undefined,
    aborted: response.writableFinished ? undefined : true,
    correlation_id: request.id,
    trace_id: record.trace.traceId,
    span_id: record.trace.spanId,
    ...callerOf(request),
  }
}

/** Converts a line to span attributes, with OpenTelemetry's names where they exist. */
function asSpan({ method, route, status, code, ...line }: ReturnType<typeof summary>): SpanEnd {
  return {
    name: `${method} ${route}`,
    failed: status >= 500,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
      'error.type': code,
      'connectivity.correlation_id': line.correlation_id,
      'connectivity.application_id': line.application_id,
      'connectivity.connection_id': line.connection_id,
    },
  }
}

/** In a service behind the gateway: the caller that the gateway identified. */
function callerOf({ caller }: Partial<FastifyRequest>): { application_id?: string; connection_id?: string } {
  if (!caller?.partner) return {}
  const { application_id, connection } = caller.partner
  return connection ? { application_id, connection_id: connection.property_id } : { application_id }
}

/** Counts an answer to bytes that could not be parsed as a request, and so have neither route nor method. */
export const countUnreadable = (status: number, code: string): void =>
  requestsTotal.inc({ route: NO_ROUTE, method: NO_METHOD, status, code })

/** Rounds milliseconds for a log line: to the microsecond. */
export const rounded = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
