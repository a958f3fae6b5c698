// PostgreSQL, Redis and Kafka together: started here unless an address in the environment names another.
import { outside } from '../bootstrap/config.mjs'
import { say, seconds } from '../bootstrap/machine/progress.mjs'
import { Refusal } from '../bootstrap/machine/refusal.mjs'
import type { Stack } from '../bootstrap/processes/stack.mjs'
import type { Spec } from '../bootstrap/processes/supervisor.mjs'
import type { HeldPort } from '../machine/ports.ts'
import { canConnect } from './databases.ts'
import { isUp } from './kafka-client.ts'
import { kafka } from './kafka.ts'
import { postgres } from './postgres.ts'
import { redis } from './redis.ts'

/** Ports held for the parts. The port of a part that runs elsewhere is not read. */
export type PartPorts = Record<'postgres' | 'redis' | 'kafka' | 'controller', HeldPort>

/** Options of the parts. */
export interface PartOptions {
  /** Password of PostgreSQL's administrator. */
  password: string
  clusterId: string
  /** Whether the data may be lost in a crash of the machine. */
  throwAway?: boolean
  /** Options of Kafka's JVM; those of the environment by default. */
  jvmOptions?: string[]
}

/** Addresses of the three. */
export interface PartAddresses {
  /** URL of PostgreSQL's administrator. */
  adminUrl: string
  redisUrl: string
  brokers: string[]
}

/** Addresses, each once its part is up. */
export type BegunParts = { [Name in keyof PartAddresses]: Promise<PartAddresses[Name]> }

async function startPart<Part extends { spec: Spec }>(
  stack: Stack,
  held: HeldPort,
  prepare: (port: number) => Part | Promise<Part>,
): Promise<Part> {
  const from = Date.now()
  const part = await prepare(held.port)
  await held.release()
  await stack.supervisor.start(part.spec)
  say(`${part.spec.title} is up on port ${held.port} (${seconds(Date.now() - from)})`)
  return part
}

async function startPostgres(stack: Stack, ports: PartPorts, { password, throwAway }: PartOptions): Promise<string> {
  if (outside.postgres) {
    if (await canConnect(outside.postgres)) return outside.postgres
    throw new Refusal('DATABASE_URL is set, but no session can be opened there: correct it, or unset it.')
  }
  const { logDir, track } = stack
  const options = { stateDir: stack.dir, password, throwAway, logDir, onStart: track }
  return (await startPart(stack, ports.postgres, (port) => postgres({ ...options, port }))).url
}

async function startRedis(stack: Stack, ports: PartPorts): Promise<string> {
  if (outside.redis) return outside.redis
  return (await startPart(stack, ports.redis, (port) => redis({ stateDir: stack.dir, port }))).url
}

async function startKafka(stack: Stack, ports: PartPorts, { clusterId, jvmOptions }: PartOptions): Promise<string[]> {
  if (outside.kafka) return outsideBrokers(outside.kafka.split(','))
  const { logDir, track } = stack
  const prepare = async (port: number) => {
    await ports.controller.release()
    return kafka({
      stateDir: stack.dir,
      port,
      controllerPort: ports.controller.port,
      clusterId,
      logDir,
      onStart: track,
      jvmOptions,
    })
  }
  return (await startPart(stack, ports.kafka, prepare)).brokers
}

async function outsideBrokers(brokers: string[]): Promise<string[]> {
  if (await isUp(brokers).catch(() => false)) return brokers
  throw new Refusal('KAFKA_BROKERS is set, but no broker answers there: correct it, or unset it.')
}

/** Starts the three at once; work that needs one of them need not wait for the others. */
export const beginParts = (stack: Stack, ports: PartPorts, options: PartOptions): BegunParts => ({
  adminUrl: startPostgres(stack, ports, options),
  redisUrl: startRedis(stack, ports),
  brokers: startKafka(stack, ports, options),
})

/** Like `beginParts`; resolves when all three are up. */
export async function startParts(stack: Stack, ports: PartPorts, options: PartOptions): Promise<PartAddresses> {
  const begun = beginParts(stack, ports, options)
  const [adminUrl, redisUrl, brokers] = await Promise.all([begun.adminUrl, begun.redisUrl, begun.brokers])
  return { adminUrl, redisUrl, brokers }
}
