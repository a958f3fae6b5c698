// The system that faults are injected into: its own parts and services in a temporary folder.
import type { ChildProcess } from 'node:child_process'
import { operatorTokens } from '../../../deploy/local/demo/operator-token.ts'
import { alone } from '../../../deploy/local/bootstrap/install/install-lock.mjs'
import { holdFree } from '../../../deploy/local/machine/ports.ts'
import { step } from '../../../deploy/local/bootstrap/machine/progress.mjs'
import type { Stack } from '../../../deploy/local/bootstrap/processes/stack.mjs'
import type { Spec } from '../../../deploy/local/bootstrap/processes/supervisor.mjs'
import { until } from '@connectivity/toolkit/until'
import { prepareDatabases } from '../../../deploy/local/parts/databases.ts'
import { kafka } from '../../../deploy/local/parts/kafka.ts'
import { postgres } from '../../../deploy/local/parts/postgres.ts'
import { redis } from '../../../deploy/local/parts/redis.ts'
import { withThrowAwayStack } from '../../../deploy/local/processes/throw-away-stack.ts'
import { runTargets } from '../../../deploy/local/services/build.ts'
import { deploySteps } from '../../../deploy/local/services/deploy-steps.ts'
import { databasePasswords, jwksFile, type Secrets, secretsOf } from '../../../deploy/local/services/secrets.ts'
import { lostWakeUpsOf } from './lost-wake-ups.ts'
import type { Endpoints } from './endpoints.ts'
import { gated, hold, release } from './gate.ts'
import { NetworkPath } from '@connectivity/toolkit/network-path'
import { type Replicas, startReplicas } from './replicas.ts'
import type { System } from './system.ts'

const LOOPBACK = '127.0.0.1'
/** Longest time until the supervisor has restarted a process that ended, ms. */
const RESTARTED_WITHIN = 120_000

/** Addresses of PostgreSQL, Redis and Kafka. */
interface Parts {
  adminUrl: string
  redisUrl: string
  brokers: string[]
  /** The services' shared network path to Kafka. */
  broker: NetworkPath
  postgresPort: number
}

/** Runs `work` with a `FaultStack`; everything is ended and removed afterwards. */
export const withFaultStack = <T>(work: (stack: FaultStack) => Promise<T>): Promise<T> =>
  withThrowAwayStack('connectivity-faults-', async (stack) => work(await bringUp(stack)))

async function startParts(stack: Stack, secrets: Secrets): Promise<Parts> {
  const { dir: stateDir, logDir, track: onStart } = stack
  const held = await Promise.all([holdFree(), holdFree(), holdFree(), holdFree(), holdFree()])
  const [{ port: postgresPort }, { port: redisPort }, { port: kafkaPort }, controller, { port: behindPort }] = held
  const broker = await new NetworkPath(() => behindPort).open()
  stack.atEnd(() => broker.close())
  const behind = { port: behindPort, advertised: broker.port }
  const common = { stateDir, logDir, onStart }
  const database = await postgres({ ...common, port: postgresPort, password: secrets.postgres })
  const cache = redis({ stateDir, port: redisPort })
  const clusterId = secrets.kafkaClusterId
  const log = await kafka({ ...common, port: kafkaPort, controllerPort: controller.port, clusterId, behind })
  await Promise.all(held.map((port) => port.release()))
  const start = ({ spec }: { spec: Spec }) => stack.supervisor.start(gated(spec, stateDir))
  await step('PostgreSQL, Redis and Kafka are up', () => Promise.all([database, cache, log].map(start)))
  return { adminUrl: database.url, redisUrl: cache.url, brokers: log.brokers, broker, postgresPort }
}

async function bringUp(stack: Stack): Promise<FaultStack> {
  const secrets = secretsOf(stack.dir)
  const build = () => alone(() => runTargets(['build'], { logDir: stack.logDir, onStart: stack.track }))
  const [parts] = await Promise.all([startParts(stack, secrets), step('services built', build)])
  const { databaseUrls, ownerUrls } = await prepareDatabases(parts.adminUrl, databasePasswords(secrets))
  const where = { bind: LOOPBACK, hostOf: () => LOOPBACK, jwks: jwksFile(stack.dir) }
  const { redisUrl, brokers, broker } = parts
  const context = { ...where, secrets, databaseUrls, redisUrl, brokers }
  await deploySteps({ ...context, ownerUrls, logDir: stack.logDir, onStart: stack.track })
  const services = { ...context, brokers: [`${LOOPBACK}:${broker.port}`] }
  const replicas = await step('two processes of each service are ready', () =>
    startReplicas(stack, services, parts.postgresPort),
  )
  return new FaultStack(stack, { ...parts, ...replicas, databaseUrls, tokens: operatorTokens(secrets) })
}

/** Running processes, and their addresses. */
interface Found extends Parts, Replicas {
  databaseUrls: Record<string, string>
  tokens: { token: string }
}

/** Everything observable from outside, by name. */
export interface Observed {
  /** Ids of the services' processes. */
  processes: Record<string, number>
  /** Ports of their probes and metrics. */
  probes: Record<string, number>
  /** URLs of the databases. */
  databases: Record<string, string>
}

/** Operations of faults on the system, and its addresses for users. */
export class FaultStack implements System {
  readonly callbackAddress = LOOPBACK
  readonly #stack: Stack
  readonly #probes: Record<string, number>
  /** The services' shared network path to Kafka. */
  readonly broker: NetworkPath
  readonly brokers: string[]
  readonly redisUrl: string
  readonly adminUrl: string
  readonly databaseUrls: Record<string, string>
  /** Names of the processes of each service. */
  readonly processes: Record<string, string[]>
  /** Network paths to PostgreSQL of each service's processes, in the same order. */
  readonly databases: Record<string, NetworkPath[]>
  readonly paths: Record<string, NetworkPath[]>
  readonly baseUrl: string
  readonly ops: { baseUrl: string; token: string }
  readonly endpoints: Record<string, Endpoints>
  /** Ports of the gateway's processes for partners. */
  readonly gateways: number[]

  constructor(stack: Stack, found: Found) {
    this.#stack = stack
    this.broker = found.broker
    this.brokers = found.brokers
    this.redisUrl = found.redisUrl
    this.adminUrl = found.adminUrl
    this.databaseUrls = found.databaseUrls
    this.processes = found.processes
    this.databases = found.databases
    this.paths = found.paths
    this.baseUrl = `http://${LOOPBACK}:${found.ports.gatewayPublic}`
    this.ops = { baseUrl: `http://${LOOPBACK}:${found.ports.gatewayPrivate}/ops/v1`, token: found.tokens.token }
    this.endpoints = found.endpoints
    this.gateways = found.gateways
    this.#probes = found.probes
  }

  /** @throws when a process of a service does not run */
  get observed(): Observed {
    const processes = Object.fromEntries(Object.keys(this.#probes).map((name) => [name, this.#runningPidOf(name)]))
    return { processes, probes: this.#probes, databases: this.databaseUrls }
  }

  async lostWakeUps(): Promise<ReadonlyMap<string, number>> {
    const counts = this.processes.gateway!.map(
      async (name) => [name, await lostWakeUpsOf(this.#probes[name]!)] as const,
    )
    return new Map(await Promise.all(counts))
  }

  /** Port of a process's probes and metrics. */
  probePortOf(name: string): number {
    return this.#probes[name]!
  }

  /** A folder for files needed during the run. */
  get dir(): string {
    return this.#stack.dir
  }

  /** Registers a child process to be ended with everything else. */
  get track(): (child: ChildProcess) => void {
    return this.#stack.track
  }

  /** Registers work for the end, when all processes have ended. */
  atEnd(work: () => void | Promise<void>): void {
    this.#stack.atEnd(work)
  }

  get logDir(): string {
    return this.#stack.logDir
  }

  pidOf(name: string): number | undefined {
    return this.#stack.supervisor.pidOf(name) as number | undefined
  }

  /** Sends a signal to a process by its name; does nothing when it is down. */
  signal(name: string, signal: NodeJS.Signals): void {
    const pid = this.pidOf(name)
    if (pid !== undefined) process.kill(pid, signal)
  }

  kill(...names: string[]): void {
    for (const name of names) this.signal(name, 'SIGKILL')
  }

  /** Sends a signal to a process and waits until another one of its name is running. */
  async restart(name: string, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const before = this.pidOf(name)
    this.signal(name, signal)
    const isAnother = () => this.pidOf(name) !== before && this.pidOf(name) !== undefined
    await until(isAnother, { within: RESTARTED_WITHIN, every: 50, complaint: () => `${name} was not restarted` })
  }

  /** Ends a process and keeps it down until `release`. */
  hold(name: string, signal: NodeJS.Signals = 'SIGTERM'): void {
    hold(this.#stack.dir, name)
    this.signal(name, signal)
  }

  release(name: string): void {
    release(this.#stack.dir, name)
  }

  /** Waits until every process of the services reports ready. */
  async untilAllReady(within = 120_000): Promise<void> {
    const all = Object.entries(this.endpoints)
    const waiting = () => all.filter(([, { allReady }]) => !allReady).map(([name]) => name)
    const complaint = () => `not ready again within ${within / 1000} s: ${waiting().join(', ')}`
    await until(() => waiting().length === 0, { within, every: 100, complaint })
  }

  #runningPidOf(name: string): number {
    const pid = this.pidOf(name)
    if (pid === undefined) throw new Error(`${name} does not run`)
    return pid
  }
}
