import { HttpStatus, type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common'
import { type ErrorCode, ServiceError } from '@connectivity/contracts/errors'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from '../logging/logging.js'
import { noteError } from './request-record.js'

/** The interface's codes and messages for refusals by the framework. */
const refusals: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request is malformed; check its syntax and body.'],
  404: ['not_found', 'There is nothing at this path; check it against the interface description.'],
  405: ['method_not_allowed', 'This path does not take this method.'],
  408: ['request_timeout', 'The request took too long to arrive; send it again.'],
  413: ['payload_too_large', 'The body is longer than this call takes; send less, or split it.'],
  414: ['uri_too_long', 'The request line is too long; shorten it.'],
  415: ['unsupported_media_type', 'Send the body as application/json in UTF-8 without Content-Encoding.'],
}

/**
 * Socket errors and SQLSTATE codes of temporary failures: connection (08), resources (53), shutdown (57P), timeouts.
 */
const OUTAGE = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|08...|53...|57P..|55P03|57014|25P0[34])$/
/** pg gives no code when a connection ends during a query, no connection is free in time, or the server goes silent. */
const LOST_CONNECTION =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Query read timeout)/

/** Judges by properties: errors of Node.js itself do not pass `instanceof Error` inside a test's own context. */
function isOutage(error: unknown): boolean {
  const { errors, code = '', message = '' } = Object(error) as { errors?: unknown; code?: unknown; message?: unknown }
  if (Array.isArray(errors)) return errors.some(isOutage)
  return OUTAGE.test(String(code)) || LOST_CONNECTION.test(String(message))
}

const statusOf = (error: unknown): number =>
  error instanceof HttpException ? error.getStatus() : ((error as { statusCode?: number } | null)?.statusCode ?? 500)

/** Converts anything thrown to the refusal that the caller gets; unexpected errors become `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  if (isOutage(error) || statusOf(error) === HttpStatus.SERVICE_UNAVAILABLE) {
    return new ServiceError('service_unavailable', 'The service is briefly unavailable; try again.', {
      retryAfterSeconds: 2,
    })
  }
  const refusal = refusals[statusOf(error)]
  if (refusal) return new ServiceError(...refusal)
  return new ServiceError('internal_error', 'Something went wrong on our side; try again and quote the correlation id.')
}

/** Answers every error in the envelope of the interface. */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw thrown
    const request = host.switchToHttp().getRequest<FastifyRequest>()
    const reply = host.switchToHttp().getResponse<FastifyReply>()
    const error = toServiceError(thrown)
    const unexpected = error.status >= 500 && thrown !== error
    if (unexpected) this.logger.error({ err: thrown, correlation_id: request.id }, 'request failed')
    if (!reply.sent) answerError(request, reply, error)
  }
}

function answerError(request: FastifyRequest, reply: FastifyReply, error: ServiceError): void {
  noteError(request, reply, error)
  void reply.status(error.status).headers(answerHeaders(request.id, error)).send(error.body(request.id))
}

/** Answers requests that Fastify refuses before any route or hook, such as broken percent-encoding in the path. */
export function answerFrameworkError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  answerError(request, reply, toServiceError(error))
}

/** Headers of every error answer. */
export const answerHeaders = (correlationId: string, error: ServiceError): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-store',
  [CORRELATION_HEADER]: correlationId,
  ...error.headers,
})
