import type { Operation } from '@connectivity/contracts/partner-api'
import type { LiveConnection } from '../live/live-connection.js'
import type { LiveCredential } from '../live/live-credential.js'

/** The caller and the called operation, as admission determined them. */
export interface Caller {
  credential: LiveCredential
  /** The client's timestamp, Unix seconds; null for a bearer token. */
  timestamp: number | null
  operation: Operation
  /** The connection that the operation addresses, if any; assigned to the caller and in a state that serves. */
  connection: LiveConnection | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every partner request before its handler runs. */
    caller: Caller
  }
}
