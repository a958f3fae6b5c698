import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common'
import { type ErrorCode, ServiceError } from '@connectivity/contracts/errors'
import { CORRELATION_HEADER } from '@connectivity/contracts/identity'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { correlationIdFrom } from './correlation.js'
import type { Logger } from './logging.js'

/** What the framework itself refuses, in words of the interface. */
const refusals: Record<number, [ErrorCode, string]> = {
  400: ['invalid_request', 'The request is malformed; check its syntax and body.'],
  404: ['not_found', 'There is nothing at this path; check it against the interface description.'],
  405: ['method_not_allowed', 'This path does not take this method.'],
  408: ['request_timeout', 'The request took too long to arrive; send it again.'],
  413: ['payload_too_large', 'The body is larger than 1 MiB; split it.'],
  415: ['unsupported_media_type', 'Send the body as application/json in UTF-8 without Content-Encoding.'],
  503: ['service_unavailable', 'The service is busy; try again.'],
}

const statusOf = (error: unknown): number =>
  error instanceof HttpException ? error.getStatus() : ((error as { statusCode?: number } | null)?.statusCode ?? 500)

/** Anything thrown as the refusal that the caller is told; what nobody meant to throw becomes `internal_error`. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error
  const refusal = refusals[statusOf(error)]
  if (refusal) return new ServiceError(...refusal)
  return new ServiceError('internal_error', 'Something went wrong on our side; try again and quote the correlation id.')
}

/** Answers every error in the envelope of spec.md. */
@Catch()
export class ErrorEnvelopeFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    if (host.getType() !== 'http') throw thrown
    const request = host.switchToHttp().getRequest<FastifyRequest>()
    const reply = host.switchToHttp().getResponse<FastifyReply>()
    const correlationId = correlationIdFrom(request.headers?.[CORRELATION_HEADER])
    const error = toServiceError(thrown)
    if (error.code === 'internal_error') this.logger.error({ err: thrown, correlation_id: correlationId }, 'request failed')
    if (reply.sent) return
    void reply.status(error.status).headers(answerHeaders(correlationId, error)).send(error.body(correlationId))
  }
}

/** Headers of every error answer. */
export const answerHeaders = (correlationId: string, error?: ServiceError): Record<string, string> => ({
  'content-type': 'application/json; charset=utf-8',
  'cache-control': 'private, no-store',
  [CORRELATION_HEADER]: correlationId,
  ...error?.headers,
})
