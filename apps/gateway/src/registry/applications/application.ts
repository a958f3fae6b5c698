import type { RateLimits } from '@connectivity/contracts/rate-limits'

/** States of an application. */
export type ApplicationState = 'pending' | 'approved' | 'suspended'

/** pending → approved ⇄ suspended. */
const moves: Record<ApplicationState, readonly ApplicationState[]> = {
  pending: ['approved'],
  approved: ['suspended'],
  suspended: ['approved'],
}

/** Whether an application may go from one state to the other. */
export const mayMove = (from: ApplicationState, to: ApplicationState): boolean => moves[from].includes(to)

/** Rate limits of a new application, api.md §3. */
export const defaultLimits: RateLimits = {
  feed: { per_minute: 600, burst: 60 },
  reads: { per_minute: 1_200, burst: 60 },
  ari: { per_minute: 120, burst: 20 },
  mutations: { per_minute: 120, burst: 20 },
  token: { per_minute: 10, burst: 10 },
}
