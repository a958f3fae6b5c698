// Two processes of every service, each with its own path to PostgreSQL, and a load balancer in front of each service.
import { holdFree } from '../../local/machine/ports.mjs'
import { services } from '../../local/services/names.mjs'
import { serviceSpec } from '../../local/services/processes.mjs'
import { Endpoints } from './endpoints.mjs'
import { gated } from './gate.mjs'
import { NetworkPath } from './network-path.mjs'

const REPLICAS = 2
/** How long a stopping process continues to answer, s; balancers here check five times a second. */
const DRAIN = '2'

/** Keys of the ports that a service listens on, the one with its probes first. */
const portsOf = ({ name, port }) => (name === 'gateway' ? [port, 'gatewayPublic'] : [port])

/** One process of a service: its name, the ports it will listen on, and its network path to PostgreSQL. */
async function place(service, number, postgresPort) {
  const held = await Promise.all(portsOf(service).map(() => holdFree()))
  const database = await new NetworkPath(() => postgresPort).open()
  const ports = Object.fromEntries(portsOf(service).map((key, index) => [key, held[index].port]))
  return { service, name: number === 1 ? service.name : `${service.name}-${number}`, held, ports, database }
}

const through = (url, path) => {
  const other = new URL(url)
  other.port = String(path.port)
  return other.href
}

function contextOf({ service, ports, database }, context, balanced) {
  const { database: name } = service
  const databaseUrls = { ...context.databaseUrls, [name]: through(context.databaseUrls[name], database) }
  return { ...context, databaseUrls, ports: { ...balanced, ...ports }, more: { DRAIN_SECONDS: DRAIN } }
}

/** The processes of one service behind its load balancer. */
async function balance(service, places) {
  const own = places.filter((one) => one.service === service)
  const keys = portsOf(service)
  const endpoints = new Endpoints(
    own.map(({ ports }) => ({ health: ports[keys[0]], ports: keys.map((key) => ports[key]) })),
  )
  const doors = await Promise.all(keys.map((_, kind) => new NetworkPath(() => endpoints.next(kind)).open()))
  return { endpoints, doors, ports: Object.fromEntries(keys.map((key, kind) => [key, doors[kind].port])) }
}

/**
 * Starts them all.
 * @param {import('../../local/processes/stack.mjs').Stack} stack
 * @param {object} context the context of `environmentOf` without ports
 * @returns names of each service's processes, its balancer, its processes' paths to PostgreSQL, the balanced ports, and
 *   the port of each process's probes and metrics by its name; `gateways`: ports of the gateway's processes for
 *   partners
 */
export async function startReplicas(stack, context, postgresPort) {
  const numbers = Array.from({ length: REPLICAS }, (_, index) => index + 1)
  const wanted = services.flatMap((service) => numbers.map((number) => place(service, number, postgresPort)))
  const places = await Promise.all(wanted)
  const balancers = await Promise.all(services.map((service) => balance(service, places)))
  const balanced = Object.assign({}, ...balancers.map(({ ports }) => ports))
  stack.atEnd(() => {
    for (const { endpoints, doors } of balancers) for (const one of [endpoints, ...doors]) one.close()
    for (const { database } of places) database.close()
  })
  const specs = places.map((one) => serviceSpec(one.service, contextOf(one, context, balanced), one.name))
  await Promise.all(places.flatMap(({ held }) => held.map((port) => port.release())))
  await Promise.all(specs.map((spec) => stack.supervisor.start(gated(spec, stack.dir))))
  const of = (make) => Object.fromEntries(services.map((service, index) => [service.name, make(service, index)]))
  const own = (service) => places.filter((one) => one.service === service)
  return {
    processes: of((service) => own(service).map(({ name }) => name)),
    databases: of((service) => own(service).map(({ database }) => database)),
    endpoints: of((_, index) => balancers[index].endpoints),
    doors: of((_, index) => balancers[index].doors),
    ports: balanced,
    gateways: places.flatMap(({ ports }) => ports.gatewayPublic ?? []),
    probes: Object.fromEntries(places.map(({ name, service, ports }) => [name, ports[portsOf(service)[0]]])),
  }
}
