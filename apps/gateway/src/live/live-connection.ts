import type { ConnectionState } from '@connectivity/contracts/connection-events'

/** A connection as admission needs it. */
export interface LiveConnection {
  connectionId: string
  applicationId: string
  externalPropertyId: string
  state: ConnectionState
}
