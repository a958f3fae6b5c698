import { type DeadLetterState, deadLetterStates } from '@connectivity/contracts/dead-letters'
import { checkWord } from '@connectivity/contracts/query-parameters'
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
  const { topic, state } = readFilters(request, 'topic', 'state')
  return { state: checkWord(state, 'state', deadLetterStates) ?? 'open', ...(topic === undefined ? {} : { topic }) }
}
