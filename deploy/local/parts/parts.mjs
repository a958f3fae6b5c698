// PostgreSQL, Redis and Kafka together: started here unless an address in the environment names another.
import { outside } from '../config.mjs'
import { say, seconds } from '../machine/progress.mjs'
import { Refusal } from '../machine/refusal.mjs'
import { canConnect } from './databases.mjs'
import { isUp } from './kafka-client.mjs'
import { kafka } from './kafka.mjs'
import { postgres } from './postgres.mjs'
import { redis } from './redis.mjs'

async function startPart(stack, held, prepare) {
  const from = Date.now()
  const part = await prepare(held.port)
  await held.release()
  await stack.supervisor.start(part.spec)
  say(`${part.spec.title} is up on port ${held.port} (${seconds(Date.now() - from)})`)
  return part
}

async function startPostgres(stack, ports, { password, throwAway }) {
  if (outside.postgres) {
    if (await canConnect(outside.postgres)) return outside.postgres
    throw new Refusal('DATABASE_URL is set, but no session can be opened there: correct it, or unset it.')
  }
  const { logDir, track } = stack
  const options = { stateDir: stack.dir, password, throwAway, logDir, onStart: track }
  return (await startPart(stack, ports.postgres, (port) => postgres({ ...options, port }))).url
}

async function startRedis(stack, ports) {
  if (outside.redis) return outside.redis
  return (await startPart(stack, ports.redis, (port) => redis({ stateDir: stack.dir, port }))).url
}

async function startKafka(stack, ports, { clusterId, jvmOptions }) {
  if (outside.kafka) return outsideBrokers(outside.kafka.split(','))
  const { logDir, track } = stack
  const prepare = async (port) => {
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

async function outsideBrokers(brokers) {
  if (await isUp(brokers).catch(() => false)) return brokers
  throw new Refusal('KAFKA_BROKERS is set, but no broker answers there: correct it, or unset it.')
}

/**
 * Starts the three at once; work that needs one of them need not wait for the others.
 * @param {import('../processes/stack.mjs').Stack} stack
 * @param {Record<'postgres' | 'redis' | 'kafka' | 'controller', { port: number, release: () => Promise<void> }>} ports
 * @param {{ password: string, clusterId: string, throwAway?: boolean, jvmOptions?: string[] }} options
 * @returns {{ adminUrl: Promise<string>, redisUrl: Promise<string>, brokers: Promise<string[]> }}
 */
export const beginParts = (stack, ports, options) => ({
  adminUrl: startPostgres(stack, ports, options),
  redisUrl: startRedis(stack, ports),
  brokers: startKafka(stack, ports, options),
})

/**
 * As `beginParts`, resolved when all three are up.
 * @returns {Promise<{ adminUrl: string, redisUrl: string, brokers: string[] }>}
 */
export async function startParts(stack, ports, options) {
  const begun = beginParts(stack, ports, options)
  const [adminUrl, redisUrl, brokers] = await Promise.all([begun.adminUrl, begun.redisUrl, begun.brokers])
  return { adminUrl, redisUrl, brokers }
}
