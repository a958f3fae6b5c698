import { type DeadLetterState, deadLetterStates } from '@connectivity/contracts/dead-letters'
import { invalidParameter } from '@connectivity/contracts/errors'
import { readFilters } from '@connectivity/service-kit/operators-page'
import type { FastifyRequest } from 'fastify'

/** Which dead letters are asked for. */
export interface DeadLetterFilter {
  state: DeadLetterState
  topic?: string
}

/**
 * Open ones unless the request says otherwise.
 * @throws ServiceError 400 for a state that there is not
 */
export function deadLetterFilter(request: FastifyRequest): DeadLetterFilter {
  const { topic, state = 'open' } = readFilters(request, 'topic', 'state')
  const known = deadLetterStates.find((one) => one === state)
  if (known === undefined)
    throw invalidParameter('state', 'invalid_value', `state must be one of ${deadLetterStates.join(', ')}.`)
  return { state: known, ...(topic === undefined ? {} : { topic }) }
}
