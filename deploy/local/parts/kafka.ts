// Apache Kafka as one KRaft process (broker and controller), from the jars fetched with Maven.
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { downloads, kafkaJvmOptions } from '../bootstrap/config.mjs'
import { command, type OnStart } from '../bootstrap/processes/command.mjs'
import { javaCommand, javaEnvironment } from '../bootstrap/machine/requirements.mjs'
import type { Spec } from '../bootstrap/processes/supervisor.mjs'
import { isUp } from './kafka-client.ts'

/** Listeners of the node. */
interface Addresses {
  port: number
  controllerPort: number
  /** For clients behind a proxy: Kafka listens on `port` and gives those clients the port `advertised`. */
  behind?: { port: number; advertised: number }
}

/** Options of a node. */
export interface KafkaOptions extends Addresses {
  stateDir: string
  clusterId: string
  logDir: string
  onStart?: OnStart
  /** Options of the JVM; those of the environment by default. */
  jvmOptions?: string[]
}

const classpath = join(downloads, 'kafka', '*')
const LOGGING = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-Dorg.slf4j.simpleLogger.showDateTime=true']
const JVM = ['-Xms256m', '-Xmx512m', '-XX:+UseSerialGC', '-Djava.awt.headless=true', ...LOGGING]

/** Settings of the node's addresses. */
function listeners({ port, controllerPort, behind }: Addresses) {
  const own = `PLAINTEXT://127.0.0.1:${port}`
  const other = (otherPort: number | undefined) => (behind ? `,BEHIND://127.0.0.1:${otherPort}` : '')
  return {
    listeners: `${own}${other(behind?.port)},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `${own}${other(behind?.advertised)}`,
    'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,BEHIND:PLAINTEXT',
  }
}

/** Settings of the single node. The voter is named in the file, so its port may change from start to start. */
const settings = ({ controllerPort, ...ports }: Addresses) => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
  'controller.listener.names': 'CONTROLLER',
  ...listeners({ controllerPort, ...ports }),
  'log.dirs': 'data', // in the folder that Kafka runs in, because Java reads this file as ISO-8859-1
  'auto.create.topics.enable': false,
  // After a crash a broker can register again only when its old session has ended: 9 s by default.
  'broker.session.timeout.ms': 3000,
  'broker.heartbeat.interval.ms': 1000,
  'group.initial.rebalance.delay.ms': 0,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 1, // so that one answer of the coordinator is valid for all groups
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 1,
  'share.coordinator.state.topic.replication.factor': 1,
  'share.coordinator.state.topic.min.isr': 1,
  'share.coordinator.state.topic.num.partitions': 1,
  'log.cleaner.dedupe.buffer.size': 16 * 1024 * 1024,
  'replica.fetch.max.bytes': 16 * 1024 * 1024,
})

function writeSettings(file: string, addresses: Addresses): void {
  const lines = Object.entries(settings(addresses)).map(([key, value]) => `${key}=${value}`)
  writeFileSync(file, `${lines.join('\n')}\n`)
}

/** A run of the storage tool. */
interface Formatting {
  clusterId: string
  log: string
  onStart?: OnStart
  jvmOptions: string[]
}

async function format(dir: string, file: string, { clusterId, log, onStart, jvmOptions }: Formatting): Promise<void> {
  if (existsSync(join(dir, 'data', 'meta.properties'))) return
  rmSync(join(dir, 'data'), { recursive: true, force: true }) // half formatted
  const tool = [...jvmOptions, ...LOGGING, '-cp', classpath, 'kafka.tools.StorageTool']
  const args = [...tool, 'format', '-t', clusterId, '-c', file]
  await command(javaCommand(), args, { env: javaEnvironment, cwd: dir, log, onStart })
}

/** Formats the storage if needed and returns the specification of the Kafka process. */
export async function kafka(options: KafkaOptions): Promise<{ brokers: string[]; spec: Spec }> {
  const { stateDir, port, controllerPort, clusterId, logDir, onStart, behind } = options
  const dir = join(stateDir, 'kafka')
  const file = join(dir, 'server.properties')
  mkdirSync(dir, { recursive: true })
  const jvm = options.jvmOptions ?? kafkaJvmOptions
  writeSettings(file, { port, controllerPort, behind })
  await format(dir, file, { clusterId, log: join(logDir, 'kafka-format.log'), onStart, jvmOptions: jvm })
  const args = [...JVM, ...jvm, '-cp', classpath, 'kafka.Kafka', file]
  return {
    brokers: [`127.0.0.1:${port}`],
    spec: {
      name: 'kafka',
      title: 'Kafka',
      kind: 'part',
      command: () => ({ file: javaCommand(), args, env: javaEnvironment, cwd: dir }),
      isReady: () => isUp([`127.0.0.1:${port}`]),
    },
  }
}
