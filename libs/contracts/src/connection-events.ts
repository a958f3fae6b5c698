import { openCloudEvent } from './cloud-event.js'
import { latestVersions } from './latest-versions.js'
import { MessageFields } from './message-fields.js'

/** The states of a property connection; operations move it from one to the next. */
export const connectionStates = [
  'provisioning',
  'pilot',
  'certification_pending',
  'production',
  'disabled',
  'closed',
] as const
/** State of a property connection. */
export type ConnectionState = (typeof connectionStates)[number]
/** States in which a connection serves: calls are answered and events delivered. */
export const servingStates = ['pilot', 'certification_pending', 'production'] as const satisfies ConnectionState[]
/** State in which a connection serves. */
export type ServingState = (typeof servingStates)[number]
/** Whether a connection serves tests or guests. */
export const environments = ['sandbox', 'production'] as const
/** Whether a connection serves tests or guests. */
export type Environment = (typeof environments)[number]

/**
 * `connectivity.connections.v1`, written by the gateway, read by every other service: a connection and its state, no
 * secrets.
 */
export interface Connection {
  /** The partner's `property_id`, `con_…`. */
  connection_id: string
  application_id: string
  /** The booking engine's property id. */
  property_id: string
  /** The partner's own property code, fixed at creation. */
  external_property_id: string
  environment: Environment
  state: ConnectionState
  /** Rises by one with every change of the connection. */
  version: number
}

/** CloudEvents type of a `Connection`. */
export const connectionEventType = 'connectivity.connection.changed'

/** @throws ContractViolation for anything that is not a connection */
export function parseConnectionEvent(value: Uint8Array): Connection {
  const data = MessageFields.of(openCloudEvent(value), '/data')
  return {
    connection_id: data.id('connection_id'),
    application_id: data.id('application_id'),
    property_id: data.id('property_id'),
    external_property_id: data.requiredReference('external_property_id'),
    environment: data.word('environment', environments),
    state: data.word('state', connectionStates),
    version: data.integer('version'),
  }
}

/** The highest version of each connection. */
export const latestConnections = (connections: readonly Connection[]): Connection[] =>
  latestVersions(
    connections,
    ({ connection_id }) => connection_id,
    ({ version }) => version,
  )
