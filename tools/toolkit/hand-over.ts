// STATE_DIR/demo.json, the hand-over file of a running stack: its addresses and keys, for scripts and newcomers.
import type { Environment } from '@connectivity/contracts/connection-events'
import type { ServiceName } from '@connectivity/contracts/identity'
import type { SigningKey } from './partner.ts'

/** Name of a service: of its folder and its process. */
type Name = 'gateway' | ServiceName

/** Credentials of an OAuth client. */
export interface OAuthClient {
  client_id: string
  client_secret: string
}

/** A connection of a demo application to a demo property. */
export interface DemoConnection {
  /** The connection's id, which partners send as `property_id`. */
  property_id: string
  /** The booking engine's property id. */
  source_property_id: string
  /** The partner's own property code. */
  external_property_id: string
  environment: Environment
  signing: SigningKey
  oauth: OAuthClient
}

/** An application of the demo. */
export interface DemoApplication {
  name: string
  application_id: string
  connections: DemoConnection[]
}

/** A process of the stack; a part that runs elsewhere has no pid. */
export interface DemoProcess {
  pid?: number
  /** URL of a service's readiness probe. */
  health_url?: string
}

/** Tokens of the operators' interface. */
export interface OperatorTokens {
  /** Token that may make changes. */
  token: string
  /** Token that may only read. */
  read_token: string
}

/** Content of the file without the processes. */
export interface DemoContents {
  /** URL of the partner interface, without its base path. */
  base_url: string
  /** URL of the operators' interface, base path included, and its tokens. */
  ops: OperatorTokens & { base_url: string }
  kafka: { brokers: string[] }
  redis_url: string
  /** URL of each service's database, by the service's name. */
  postgres: Record<Name, string>
  applications: DemoApplication[]
}

/** Services and parts by their names. */
export type DemoProcesses = Record<Name | 'postgres' | 'redis' | 'kafka', DemoProcess>

/** The file of a stack on this machine. */
export interface DemoFile extends DemoContents {
  processes: DemoProcesses
}

/** The file of a stack whose parts all run in it. */
export interface HandOver extends DemoContents {
  /** Services and parts by their names. */
  processes: Record<keyof DemoProcesses, DemoProcess & { pid: number }>
}
