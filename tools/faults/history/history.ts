// A new record of a run.
import type { History } from './history-types.ts'

/** Creates an empty history. */
export const newHistory = (seed: number): History => ({
  seed,
  requests: 0,
  connections: [],
  source: [],
  deadLetters: [],
  pages: [],
  digests: [],
  waits: [],
  lostWakeUps: [],
  mappings: [],
  ari: [],
  inventory: [],
  updates: [],
  events: [],
  deliveries: [],
  acknowledged: [],
  index: [],
  intrusions: [],
  failures: [],
  disturbed: [],
  noFailure: [],
  unrecovered: [],
  isolation: [],
})
