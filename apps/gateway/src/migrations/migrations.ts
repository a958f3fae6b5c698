import { Gateway1763700000000 } from './1763700000000-gateway.js'

/** The gateway's schema, oldest step first. */
export const migrations = [Gateway1763700000000]
