import type { Operation } from '@connectivity/contracts/partner-api'
import type { LiveConnection } from '../live/live-connection.js'
import type { LiveCredential } from '../live/live-credential.js'

/** Who calls and what for, as admission found it. */
export interface Caller {
  credential: LiveCredential
  /** The client's timestamp, Unix seconds; null of a bearer. */
  timestamp: number | null
  operation: Operation
  /** The addressed connection, when the operation addresses one; it is the caller's and in a state that serves. */
  connection: LiveConnection | null
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on every partner request before its handler runs. */
    caller: Caller
  }
}
