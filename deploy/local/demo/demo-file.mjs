// STATE_DIR/demo.json: what scripts and newcomers need to talk to the running stack (operations.md §2).
import { join } from 'node:path'
import { writeWhole } from '../machine/files.mjs'
import { services } from '../services/names.mjs'
import { healthUrl } from '../services/processes.mjs'

/** Path of the file. */
export const demoFile = (stateDir) => join(stateDir, 'demo.json')

function processes({ ports, supervisor }) {
  const ofService = (service) => [
    service.name,
    { pid: supervisor.pidOf(service.name), health_url: healthUrl(service, ports) },
  ]
  const ofPart = (name) => [name, { pid: supervisor.pidOf(name) }]
  return Object.fromEntries([...services.map(ofService), ...['postgres', 'redis', 'kafka'].map(ofPart)])
}

/** Its content except the processes; the addresses are those that its reader uses. */
export const contentsOf = ({ publicUrl, privateUrl, tokens, brokers, redisUrl, databaseUrls, applications }) => ({
  base_url: publicUrl,
  ops: { base_url: `${privateUrl}/ops/v1`, ...tokens },
  kafka: { brokers },
  redis_url: redisUrl,
  postgres: Object.fromEntries(services.map(({ name, database }) => [name, databaseUrls[database]])),
  applications,
})

/** Writes it for the stack `context`; a part that runs elsewhere has no pid. */
export function writeDemoFile(context) {
  const { ports, stateDir } = context
  const urls = {
    publicUrl: `http://127.0.0.1:${ports.gatewayPublic}`,
    privateUrl: `http://127.0.0.1:${ports.gatewayPrivate}`,
  }
  writeWhole(demoFile(stateDir), { ...contentsOf({ ...context, ...urls }), processes: processes(context) })
}
