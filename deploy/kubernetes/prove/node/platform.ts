// What the services of `overlays/local` run on: PostgreSQL behind TLS, Redis, and a Kafka with TLS, users and access
// rules. They run beside the cluster, which reaches them under the names that their operators would give them.
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { kafkaUsers } from '@connectivity/contracts/kafka-users'
import { Authority } from '@connectivity/testing/certificates'
import type { Stack } from '../../../local/bootstrap/processes/stack.mjs'
import { until } from '@connectivity/toolkit/until'
import { prepareDatabases } from '../../../local/parts/databases.ts'
import { isUp } from '../../../local/parts/kafka-client.ts'
import { postgres } from '../../../local/parts/postgres.ts'
import { redis } from '../../../local/parts/redis.ts'
import { SecuredBroker } from '../../../local/parts/secured-broker.ts'
import { services } from '../../../local/services/names.ts'
import { databasePasswords, kafkaPassword, type Secrets } from '../../../local/services/secrets.ts'
import { environmentWith } from '@connectivity/toolkit/config'
import { NAMESPACE, root } from '../config.ts'

const [POSTGRES_PORT, POSTGRES_TLS_PORT, REDIS_PORT, KAFKA_PORT] = [15432, 5432, 6379, 9093]
const BROKER = 'platform-kafka-bootstrap.kafka.svc.cluster.local'
const UP_WITHIN = 120_000
/** With every compiler: only the slowest makes encryption fast. */
const JVM = ['-Xmx512m', '-XX:+UseSerialGC']

const databaseHost = (service: string): string => `${service}-database-rw.${NAMESPACE}.svc`

/** An object of the cluster. */
type KubernetesObject = Record<string, unknown>

/** A service whose only endpoint is this machine. */
function serviceAt(address: string, name: string, port: number, namespace = NAMESPACE): KubernetesObject[] {
  const ports = [{ name: 'tcp', port, protocol: 'TCP' }]
  return [
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace }, spec: { ports } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name, namespace, labels: { 'kubernetes.io/service-name': name } },
      addressType: 'IPv4',
      endpoints: [{ addresses: [address] }],
      ports,
    },
  ]
}

const secret = (name: string, stringData: Record<string, string>): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: NAMESPACE },
  stringData,
})

/** The running platform. */
export interface Platform {
  /** Brokers for programs on this machine, without TLS. */
  brokers: string[]
  /** What the operators of the platform would make in the cluster. */
  objects: KubernetesObject[]
}

async function startPostgres(stack: Stack, secrets: Secrets): Promise<void> {
  const { dir: stateDir, logDir, track: onStart } = stack
  const { spec, url } = await postgres({ stateDir, logDir, onStart, port: POSTGRES_PORT, password: secrets.postgres })
  await stack.supervisor.start(spec)
  await prepareDatabases(url, databasePasswords(secrets))
}

/** Starts TLS in front of PostgreSQL, as a process of its own. @returns its authority */
async function startPostgresTls(stack: Stack, address: string): Promise<string> {
  const authority = new Authority()
  const [first, ...others] = services.map(({ name }) => databaseHost(name))
  const tls = authority.issue([first!, ...others])
  const file = join(stack.dir, 'postgres-tls.json')
  writeFileSync(
    file,
    JSON.stringify({ tls, to: `postgres://127.0.0.1:${POSTGRES_PORT}`, address, port: POSTGRES_TLS_PORT }),
  )
  const child = fork(join(import.meta.dirname, 'postgres-tls-process.ts'), [file])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('TLS in front of PostgreSQL did not start')))
  await Promise.race([once(child, 'message'), ended])
  const { certificate } = authority
  authority.remove()
  return certificate
}

async function startKafka(stack: Stack, address: string, passwords: Record<string, string>): Promise<SecuredBroker> {
  const broker = new SecuredBroker({ address, name: BROKER, port: KAFKA_PORT, jvm: JVM })
  stack.atEnd(() => broker.stop())
  await broker.start(passwords)
  const brokers = [`127.0.0.1:${broker.ports.plain}`]
  await until(() => isUp(brokers).catch(() => false), { within: UP_WITHIN, every: 250, complaint: () => 'no Kafka' })
  return broker
}

/** Allows each user what it needs, as deploy/kubernetes/README.md says for a Kafka without Strimzi. */
function grantAccess(broker: SecuredBroker): void {
  execFileSync(process.execPath, ['libs/kafka/dist/grant-access.main.js'], {
    cwd: root,
    env: environmentWith({
      KAFKA_BROKERS: `127.0.0.1:${broker.ports.plain}`,
      KAFKA_SECURITY_PROTOCOL: 'PLAINTEXT',
    }),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * Starts a Kafka whose users may do what the topics declare.
 * @param address of this machine in the cluster
 */
export async function startKafkaAlone(stack: Stack, address: string, secrets: Secrets): Promise<Platform> {
  const passwords = Object.fromEntries(kafkaUsers.map((user) => [user, kafkaPassword(secrets, user)]))
  const broker = await startKafka(stack, address, passwords)
  grantAccess(broker)
  return {
    brokers: [`127.0.0.1:${broker.ports.plain}`],
    objects: [
      ...serviceAt(address, 'platform-kafka-bootstrap', KAFKA_PORT, 'kafka'),
      secret('kafka-ca', { 'ca.crt': broker.authority }),
    ],
  }
}

/**
 * Starts the platform.
 * @param address of this machine in the cluster
 */
export async function startPlatform(stack: Stack, address: string, secrets: Secrets): Promise<Platform> {
  const cache = redis({ stateDir: stack.dir, port: REDIS_PORT, address, password: secrets.redis })
  const [kafka, authority] = await Promise.all([
    startKafkaAlone(stack, address, secrets),
    startPostgresTls(stack, address),
    startPostgres(stack, secrets),
    stack.supervisor.start(cache.spec),
  ])
  return {
    brokers: kafka.brokers,
    objects: [
      ...kafka.objects,
      ...serviceAt(address, 'redis', REDIS_PORT),
      ...services.flatMap(({ name, database }) => [
        ...serviceAt(address, `${name}-database-rw`, POSTGRES_TLS_PORT),
        secret(`${name}-database-ca`, { 'ca.crt': authority }),
        secret(`${name}-database-app`, {
          uri: `postgresql://${database}:${secrets.databases[database]}@${databaseHost(name)}:5432/${database}`,
        }),
      ]),
    ],
  }
}
