// STATE_DIR/demo.json: addresses and keys of the running stack, for scripts and newcomers.
import { join } from 'node:path'
import type { Environment } from '@connectivity/contracts/connection-events'
import { writeWhole } from '../machine/files.ts'
import type { ServiceContext } from '../services/environment.ts'
import { type Database, type Service, services } from '../services/names.ts'
import { healthUrl } from '../services/processes.ts'
import type { OperatorTokens } from './operator-token.ts'
import type { SigningKey } from './partner.ts'

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

/** Content of the file without the processes. */
export interface DemoContents {
  /** URL of the partner interface, without its base path. */
  base_url: string
  /** URL of the operators' interface, base path included, and its tokens. */
  ops: OperatorTokens & { base_url: string }
  kafka: { brokers: string[] }
  redis_url: string
  /** URL of each service's database, by the service's name. */
  postgres: Record<Service['name'], string>
  applications: DemoApplication[]
}

/** Services and parts by their names. */
export type DemoProcesses = Record<Service['name'] | 'postgres' | 'redis' | 'kafka', DemoProcess>

/** The file of a stack on this machine. */
export interface DemoFile extends DemoContents {
  processes: DemoProcesses
}

/** Addresses and keys of a stack. */
export interface StackFacts {
  publicUrl: string
  privateUrl: string
  tokens: OperatorTokens
  brokers: string[]
  redisUrl: string
  /** URL of each database with the role of its service, by the database's name. */
  databaseUrls: Record<Database, string>
  applications: DemoApplication[]
}

/** A stack on this machine. */
export interface RunningStack extends Omit<StackFacts, 'publicUrl' | 'privateUrl'> {
  stateDir: string
  ports: ServiceContext['ports']
  supervisor: { pidOf: (name: string) => number | undefined }
}

/** Path of the file. */
export const demoFile = (stateDir: string): string => join(stateDir, 'demo.json')

function processes({ ports, supervisor }: RunningStack): DemoProcesses {
  const ofService = (service: Service): [string, DemoProcess] => [
    service.name,
    { pid: supervisor.pidOf(service.name), health_url: healthUrl(service, ports) },
  ]
  const ofPart = (name: string): [string, DemoProcess] => [name, { pid: supervisor.pidOf(name) }]
  const entries = [...services.map(ofService), ...['postgres', 'redis', 'kafka'].map(ofPart)]
  return Object.fromEntries(entries) as DemoProcesses
}

/** Content of the file without the processes; the addresses are those that its reader uses. */
export const contentsOf = (facts: StackFacts): DemoContents => ({
  base_url: facts.publicUrl,
  ops: { base_url: `${facts.privateUrl}/ops/v1`, ...facts.tokens },
  kafka: { brokers: facts.brokers },
  redis_url: facts.redisUrl,
  postgres: Object.fromEntries(
    services.map(({ name, database }) => [name, facts.databaseUrls[database]]),
  ) as DemoContents['postgres'],
  applications: facts.applications,
})

/** Writes the file for the stack `context`. */
export function writeDemoFile(context: RunningStack): void {
  const { ports, stateDir } = context
  const urls = {
    publicUrl: `http://127.0.0.1:${ports.gatewayPublic}`,
    privateUrl: `http://127.0.0.1:${ports.gatewayPrivate}`,
  }
  const file: DemoFile = { ...contentsOf({ ...context, ...urls }), processes: processes(context) }
  writeWhole(demoFile(stateDir), file)
}
