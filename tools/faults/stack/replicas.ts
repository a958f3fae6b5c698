// Two processes of every service, each with its own path to PostgreSQL, and a load balancer in front of each service.
import type { Stack } from '../../../deploy/local/bootstrap/processes/stack.mjs'
import { type HeldPort, holdFree } from '../../../deploy/local/machine/ports.ts'
import { type Service, services } from '../../../deploy/local/services/names.ts'
import { type ProcessContext, serviceSpec } from '../../../deploy/local/services/processes.ts'
import { Endpoints } from './endpoints.ts'
import { gated } from './gate.ts'
import { NetworkPath } from '@connectivity/toolkit/network-path'

const REPLICAS = 2
/** Time for which a stopping process continues to answer, s; balancers here check five times a second. */
const DRAIN = '2'
/** Limits of production; those of the local stack are high. The load balancer is a trusted proxy. */
const PRODUCTION_LIMITS = {
  FAILED_AUTH_PER_MINUTE: '30',
  MAX_CONNECTIONS_PER_ADDRESS: '200',
  TRUSTED_PROXIES: '127.0.0.1',
}

/** Settings of the stack's services that do not depend on their ports. */
type Context = Omit<ProcessContext, 'ports'>

/** Ports by their keys. */
type Ports = Record<string, number>

/** One process of a service. */
interface Place {
  service: Service
  name: string
  /** Ports that it will listen on. */
  ports: Ports
  held: HeldPort[]
  /** Its network path to PostgreSQL. */
  database: NetworkPath
}

/** Keys of the ports that a service listens on, the one with its probes first. */
const portsOf = ({ name, port }: Service): string[] => (name === 'gateway' ? [port, 'gatewayPublic'] : [port])

/** Port of the process's probes and metrics. */
const probesOf = ({ service, ports }: Place): number => ports[service.port]!

async function place(service: Service, number: number, postgresPort: number): Promise<Place> {
  const found = await Promise.all(portsOf(service).map(async (key) => ({ key, held: await holdFree() })))
  const database = await new NetworkPath(() => postgresPort).open()
  const ports = Object.fromEntries(found.map(({ key, held }) => [key, held.port]))
  const name = number === 1 ? service.name : `${service.name}-${number}`
  return { service, name, held: found.map(({ held }) => held), ports, database }
}

const through = (url: string, path: NetworkPath): string => {
  const other = new URL(url)
  other.port = String(path.port)
  return other.href
}

function contextOf({ service, ports, database }: Place, context: Context, balanced: Ports): ProcessContext {
  const { database: name } = service
  const more = { DRAIN_SECONDS: DRAIN, ...(service.name === 'gateway' && PRODUCTION_LIMITS) }
  const databaseUrls = { ...context.databaseUrls, [name]: through(context.databaseUrls[name]!, database) }
  return { ...context, databaseUrls, ports: { ...balanced, ...ports }, more }
}

/** The processes of one service behind its load balancer. */
interface Balanced {
  service: Service
  places: Place[]
  endpoints: Endpoints
  paths: NetworkPath[]
  /** Ports of the network paths. */
  ports: Ports
}

async function balance(service: Service, all: readonly Place[]): Promise<Balanced> {
  const places = all.filter((one) => one.service === service)
  const endpoints = new Endpoints(
    places.map((one) => ({ health: probesOf(one), ports: one.held.map(({ port }) => port) })),
  )
  const open = async (key: string, kind: number) => ({
    key,
    path: await new NetworkPath(() => endpoints.next(kind)).open(),
  })
  const opened = await Promise.all(portsOf(service).map(open))
  const paths = opened.map(({ path }) => path)
  return {
    service,
    places,
    endpoints,
    paths,
    ports: Object.fromEntries(opened.map(({ key, path }) => [key, path.port])),
  }
}

/** Running processes, by the name of their service. */
export interface Replicas {
  /** Names of the service's processes. */
  processes: Record<string, string[]>
  /** The processes' network paths to PostgreSQL, in the same order. */
  databases: Record<string, NetworkPath[]>
  endpoints: Record<string, Endpoints>
  /** Network paths to the service's balanced ports. */
  paths: Record<string, NetworkPath[]>
  /** The balanced ports, by their keys. */
  ports: Ports
  /** Ports of the gateway's processes for partners. */
  gateways: number[]
  /** Ports of the probes and metrics, by the name of the process. */
  probes: Record<string, number>
}

/** Starts two processes of every service, behind their load balancers. */
export async function startReplicas(stack: Stack, context: Context, postgresPort: number): Promise<Replicas> {
  const numbers = Array.from({ length: REPLICAS }, (_, index) => index + 1)
  const wanted = services.flatMap((service) => numbers.map((number) => place(service, number, postgresPort)))
  const places = await Promise.all(wanted)
  const balancers = await Promise.all(services.map((service) => balance(service, places)))
  const balanced = Object.assign({}, ...balancers.map(({ ports }) => ports)) as Ports
  stack.atEnd(() => {
    for (const { endpoints, paths } of balancers) for (const one of [endpoints, ...paths]) one.close()
    for (const { database } of places) database.close()
  })
  const specs = places.map((one) => serviceSpec(one.service, contextOf(one, context, balanced), one.name))
  await Promise.all(places.flatMap(({ held }) => held.map((port) => port.release())))
  await Promise.all(specs.map((spec) => stack.supervisor.start(gated(spec, stack.dir))))
  const of = <T>(make: (one: Balanced) => T): Record<string, T> =>
    Object.fromEntries(balancers.map((one) => [one.service.name, make(one)]))
  return {
    processes: of((one) => one.places.map(({ name }) => name)),
    databases: of((one) => one.places.map(({ database }) => database)),
    endpoints: of(({ endpoints }) => endpoints),
    paths: of(({ paths }) => paths),
    ports: balanced,
    gateways: places.flatMap(({ ports }) => ports.gatewayPublic ?? []),
    probes: Object.fromEntries(places.map((one) => [one.name, probesOf(one)])),
  }
}
