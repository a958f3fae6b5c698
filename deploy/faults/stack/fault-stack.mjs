// The system that faults are injected into: its own parts and services in a temporary folder.
import { setTimeout as sleep } from 'node:timers/promises'
import { operatorTokens } from '../../local/demo/operator-token.mjs'
import { alone } from '../../local/machine/install-lock.mjs'
import { holdFree } from '../../local/machine/ports.mjs'
import { step } from '../../local/machine/progress.mjs'
import { until } from '../../local/machine/until.mjs'
import { prepareDatabases } from '../../local/parts/databases.mjs'
import { kafka } from '../../local/parts/kafka.mjs'
import { postgres } from '../../local/parts/postgres.mjs'
import { redis } from '../../local/parts/redis.mjs'
import { withThrowAwayStack } from '../../local/processes/throw-away-stack.mjs'
import { runTargets } from '../../local/services/build.mjs'
import { deploySteps } from '../../local/services/deploy-steps.mjs'
import { databasePasswords, jwksFile, secretsOf } from '../../local/services/secrets.mjs'
import { gated, hold, letGo } from './gate.mjs'
import { NetworkPath } from './network-path.mjs'
import { startReplicas } from './replicas.mjs'

const LOOPBACK = '127.0.0.1'

/** Runs `work` with a `FaultStack`; everything is ended and removed afterwards. */
export const withFaultStack = (work) =>
  withThrowAwayStack('connectivity-faults-', async (stack) => work(await bringUp(stack)))

async function startParts(stack, secrets) {
  const { dir: stateDir, logDir, track: onStart } = stack
  const held = await Promise.all(Array.from({ length: 5 }, () => holdFree()))
  const [postgresPort, redisPort, kafkaPort, controllerPort, behindPort] = held.map(({ port }) => port)
  const broker = await new NetworkPath(() => behindPort).open()
  stack.atEnd(() => broker.close())
  const behind = { port: behindPort, advertised: broker.port }
  const common = { stateDir, logDir, onStart }
  const database = await postgres({ ...common, port: postgresPort, password: secrets.postgres })
  const cache = redis({ stateDir, port: redisPort })
  const clusterId = secrets.kafkaClusterId
  const log = await kafka({ ...common, port: kafkaPort, controllerPort, clusterId, behind })
  await Promise.all(held.map((port) => port.release()))
  const start = ({ spec }) => stack.supervisor.start(gated(spec, stateDir))
  await step('PostgreSQL, Redis and Kafka are up', () => Promise.all([database, cache, log].map(start)))
  return { adminUrl: database.url, redisUrl: cache.url, brokers: log.brokers, broker, postgresPort }
}

async function bringUp(stack) {
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

/** Operations of faults on the system, and its addresses for users. */
export class FaultStack {
  #stack
  #probes

  constructor(stack, found) {
    this.#stack = stack
    /** The services' shared network path to Kafka. */
    this.broker = found.broker
    this.brokers = found.brokers
    this.redisUrl = found.redisUrl
    this.adminUrl = found.adminUrl
    this.databaseUrls = found.databaseUrls
    /** Names of the processes of each service. */
    this.processes = found.processes
    /** Network paths to PostgreSQL of each service's processes, in the same order. */
    this.databases = found.databases
    this.doors = found.doors
    this.baseUrl = `http://${LOOPBACK}:${found.ports.gatewayPublic}`
    this.ops = { baseUrl: `http://${LOOPBACK}:${found.ports.gatewayPrivate}/ops/v1`, token: found.tokens.token }
    this.endpoints = found.endpoints
    /** Ports of the gateway's processes for partners. */
    this.gateways = found.gateways
    this.#probes = found.probes
  }

  /** Everything observable from outside, by name: ids of the services' processes, ports of their metrics, databases. */
  get observed() {
    const processes = Object.fromEntries(Object.keys(this.#probes).map((name) => [name, this.pidOf(name)]))
    return { processes, probes: this.#probes, databases: this.databaseUrls }
  }

  /** A folder for files needed during the run. */
  get dir() {
    return this.#stack.dir
  }

  /** Registers a child process to be ended with everything else. */
  get track() {
    return this.#stack.track
  }

  /** Registers work for the end, when no process runs any more. */
  atEnd(work) {
    this.#stack.atEnd(work)
  }

  get logDir() {
    return this.#stack.logDir
  }

  pidOf(name) {
    return this.#stack.supervisor.pidOf(name)
  }

  /** Sends a signal to a process by its name; one that is down already gets none. */
  signal(name, signal) {
    const pid = this.pidOf(name)
    if (pid !== undefined) process.kill(pid, signal)
  }

  kill(...names) {
    for (const name of names) this.signal(name, 'SIGKILL')
  }

  /** Sends a signal to a process and waits until another one of its name is running. */
  async restart(name, signal = 'SIGTERM') {
    const before = this.pidOf(name)
    this.signal(name, signal)
    while (this.pidOf(name) === before || this.pidOf(name) === undefined) await sleep(50)
  }

  /** Ends a process and keeps it down until `letGo`. */
  hold(name, signal = 'SIGTERM') {
    hold(this.#stack.dir, name)
    this.signal(name, signal)
  }

  letGo(name) {
    letGo(this.#stack.dir, name)
  }

  /** Waits until every process of the services reports ready. */
  async untilAllReady(within = 120_000) {
    const all = Object.entries(this.endpoints)
    const waiting = () => all.filter(([, { allReady }]) => !allReady).map(([name]) => name)
    const complaint = () => `not ready again within ${within / 1000} s: ${waiting().join(', ')}`
    await until(() => waiting().length === 0, { within, every: 100, complaint })
  }
}
