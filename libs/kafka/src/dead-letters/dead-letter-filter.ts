import { type DeadLetterState, deadLetterStates } from '@connectivity/contracts/dead-letters'
import { invalidParameter } from '@connectivity/contracts/errors'
import { readFilters } from '@connectivity/service-kit/operators'
import type { FastifyRequest } from 'fastify'

/** Filter of a list of dead letters. */
export interface DeadLetterFilter {
  state: DeadLetterState
  topic?: string
}

/**
 * Filter of a request; open dead letters by default.
 * @throws ServiceError 400 for an unknown state
 */
export function deadLetterFilter(request: FastifyRequest): DeadLetterFilter {
  const { topic, state = 'open' } = readFilters(request, 'topic', 'state')
  const known = deadLetterStates.find((one) => one === state)
  if (known === undefined)
    throw invalidParameter('state', 'invalid_value', `state must be one of ${deadLetterStates.join(', ')}.`)
  return { state: known, ...(topic === undefined ? {} : { topic }) }
}
