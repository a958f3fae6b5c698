import type { FastifyRequest } from 'fastify'

/** Who does what and why: the head of an audit entry. */
export interface Act {
  actor: string
  action: string
  reason: string
  correlationId: string
}

export const actOf = (request: FastifyRequest, action: string, { reason }: { reason: string }): Act => ({
  actor: request.operator.subject,
  action,
  reason,
  correlationId: request.id,
})
