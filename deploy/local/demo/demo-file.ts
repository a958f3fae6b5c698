// Writes and reads STATE_DIR/demo.json, the hand-over file of the running stack.
import { join } from 'node:path'
import type {
  DemoApplication,
  DemoContents,
  DemoFile,
  DemoProcess,
  DemoProcesses,
  OperatorTokens,
} from '../../../tools/toolkit/hand-over.ts'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import { readWhole, writeWhole } from '../machine/files.ts'
import type { ServiceContext } from '../services/environment.ts'
import { type Database, type Service, services } from '../services/names.ts'
import { healthUrl } from '../services/processes.ts'

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

/**
 * The file of the stack that runs in this folder.
 * @throws Refusal when none does
 */
export function readDemoFile(stateDir: string): DemoFile {
  const demo = readWhole<DemoFile>(demoFile(stateDir))
  if (demo) return demo
  throw new Refusal('No stack is running: run npm start, then try again in another terminal.')
}

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
