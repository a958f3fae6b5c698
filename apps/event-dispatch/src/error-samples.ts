import { checkResumable } from './callbacks/callback.js'
import { unreachable } from './callbacks/url-refusal.js'
import { checkNotDropped } from './events/event-query.js'

/**
 * Refusals of this service, for the OpenAPI document; each function returns or throws one. Only the documentation
 * generator imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => checkNotDropped({ afterSequence: 1200 }, { droppedSequence: 4711 }),
  () => unreachable('wrong_challenge'),
  () => checkResumable({ state: 'suspended_by_operator' }),
]
