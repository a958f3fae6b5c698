import { Gateway1763700000000 } from './1763700000000-gateway.js'
import { OAuth1795200000000 } from './1795200000000-oauth.js'

/** The gateway's schema, oldest step first. */
export const migrations = [Gateway1763700000000, OAuth1795200000000]
