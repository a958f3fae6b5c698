import { checkResumable } from './callbacks/callback.js'
import { unreachable } from './callbacks/url-refusal.js'
import { checkNotDropped } from './events/event-query.js'

/**
 * Refusals as this service makes them, for the description of the interface: each is returned or thrown. Nothing that
 * runs imports this file.
 */
export const errorSamples: readonly (() => unknown)[] = [
  () => checkNotDropped({ afterSequence: 1200 }, { droppedSequence: 4711 }),
  () => unreachable('wrong_challenge'),
  () => checkResumable({ state: 'suspended_by_operator' }),
]
