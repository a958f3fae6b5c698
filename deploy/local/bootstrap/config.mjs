// Every environment key of the one-machine stack, with its default and effect.
import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const env = process.env

/** The repository's root folder. */
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** The launcher's folder. */
export const here = fileURLToPath(new URL('..', import.meta.url))

/** STATE_DIR: data, logs, secrets and demo.json of one stack. Two folders = two stacks side by side. */
export const stateDir = resolve(root, env.STATE_DIR || join(here, '.state'))

/** Folder of the downloaded Kafka jars and Redis binary; shared by all stacks of this clone. */
export const downloads = join(here, 'downloads')

/**
 * Ports: the key that sets each, and its default. An occupied default is replaced by a free port; an occupied port set
 * in the environment is an error.
 */
export const portKeys = {
  gatewayPublic: { key: 'GATEWAY_PUBLIC_PORT', port: 8080 },
  gatewayPrivate: { key: 'GATEWAY_PRIVATE_PORT', port: 8081 },
  catalog: { key: 'CATALOG_PORT', port: 8082 },
  reservationFeed: { key: 'RESERVATION_FEED_PORT', port: 8083 },
  ari: { key: 'ARI_PORT', port: 8084 },
  eventDispatch: { key: 'EVENT_DISPATCH_PORT', port: 8085 },
  postgres: { key: 'POSTGRES_PORT', port: 5432 },
  redis: { key: 'REDIS_PORT', port: 6379 },
  kafka: { key: 'KAFKA_PORT', port: 9092 },
}

/**
 * The port that the environment sets, or undefined.
 * @param {string} key
 */
export const portFromEnvironment = (key) => env[key] || undefined

/** DATABASE_URL, REDIS_URL, KAFKA_BROKERS: an address replaces the part the launcher would start itself. */
export const outside = {
  postgres: env.DATABASE_URL || undefined, // an administrator's URL: databases and roles are created with it
  redis: env.REDIS_URL || undefined,
  kafka: env.KAFKA_BROKERS || undefined, // host:port, comma separated
}

/** REDIS_SERVER: program of another Redis or Valkey than the one that Maven brings, for example for the tests. */
export const redisServer = env.REDIS_SERVER || undefined

/** KAFKA_PARTITIONS: partitions of each topic, fixed when the topic is created. */
export const kafkaPartitions = env.KAFKA_PARTITIONS || '12'

/** LOG_LEVEL of the services; their logs are STATE_DIR/logs/<service>.log. */
export const logLevel = env.LOG_LEVEL || 'info'

/** FAILED_AUTH_PER_MINUTE: the gateway's limit of refused authentications per address; high here, for experiments. */
export const failedAuthPerMinute = env.FAILED_AUTH_PER_MINUTE || '100000'

/** MAX_CONNECTIONS_PER_ADDRESS: the gateway's limit; high here, because all clients run on this machine. */
export const maxConnectionsPerAddress = env.MAX_CONNECTIONS_PER_ADDRESS || '10000'

/** PRIVATE_HOSTS: names under which the private listener answers operators; `gateway` is that of docker-compose.yml. */
export const privateHosts = env.PRIVATE_HOSTS || '127.0.0.1,localhost,[::1],gateway'

/**
 * KAFKA_JVM_OPTIONS: options of the local Kafka's JVM. The default trades peak speed for a fast start: Kafka starts
 * with half the CPU time and is slower under full load. The benchmarks therefore reset it.
 */
export const kafkaJvmOptions = (env.KAFKA_JVM_OPTIONS ?? '-XX:TieredStopAtLevel=1').split(' ').filter(Boolean)

/** JAVA_HOME: the JDK for Kafka; without it `java` is looked up in PATH. */
export const javaHome = env.JAVA_HOME || undefined

/**
 * SERVICES_BUILT: true skips the build, for example for stacks that tests start. Restoring the build from the cache
 * would briefly remove the files under services that are starting at the same time.
 */
export const servicesBuilt = env.SERVICES_BUILT === 'true'

/** TEST_RESULTS: reports of test runs, and logs of suites that failed. */
export const testResults = resolve(root, env.TEST_RESULTS || 'test-results')

/** Start of the first process, ms; the launcher sets it when it re-executes with the repository's Node. */
export const began = Number(env.LAUNCHER_BEGAN) || Date.now()

/** True when npm or the launcher's first process started this one, which then stops when that parent is gone. */
export const hasKeeper = /^(start|test(:\w+)?)$/.test(env.npm_lifecycle_event ?? '') || Boolean(env.LAUNCHER_BEGAN)

const OURS = ['NODE_OPTIONS', 'LAUNCHER_BEGAN']

/** Folder in which Node.js caches compiled modules between processes. */
const compileCache = { NODE_COMPILE_CACHE: env.NODE_COMPILE_CACHE ?? join(downloads, 'compile-cache') }

/**
 * Environment of a child process: this one's, without the keys that control the launcher itself.
 * @param {NodeJS.ProcessEnv} more
 * @returns {NodeJS.ProcessEnv}
 */
export function childEnvironment(more = {}) {
  const inherited = Object.entries(env).filter(([key]) => !OURS.includes(key))
  return { ...Object.fromEntries(inherited), ...compileCache, ...more }
}

/**
 * Short stable name of a state folder, for things that must live outside it.
 * @param {string} folder
 */
export const nameOf = (folder) => createHash('sha256').update(folder).digest('hex').slice(0, 12)
