import { servingStates } from '@connectivity/contracts/connection-events'

/** Connection states in which events are delivered; in all others they are held. A list for SQL's IN. */
export const LIVE_STATES = `('${servingStates.join("', '")}')`
