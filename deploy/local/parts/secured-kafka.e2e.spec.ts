import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brokerAccess } from '@connectivity/kafka/broker-access'
import { brokerKeys } from '@connectivity/kafka/config'
import { readConfig } from '@connectivity/service-kit/config'
import { eventually } from '@connectivity/testing/eventually'
import { freePort } from '@connectivity/testing/free-port'
import { downloads } from '../config.mjs'
import { javaCommand } from '../machine/requirements.mjs'
import { kafkaClient } from './kafka-client.mjs'
import { newClusterId } from './cluster-id.mjs'

const USER = { name: 'connectivity', password: 'let-me-in' }
const java = javaCommand()
const JVM = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const classpath = join(downloads, 'kafka', '*')
const dir = mkdtempSync(join(tmpdir(), 'secured-kafka-'))
const file = (name: string) => join(dir, name)
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: dir, stdio: 'pipe' })

/** Makes a private key with a certificate that it signed itself: NAME.key, NAME.crt, and both in NAME.pem. */
function keyPair(name: string): void {
  const subject = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1', '-days', '2']
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', file(`${name}.key`)]
  run('openssl', 'req', '-x509', ...key, ...subject, '-out', file(`${name}.crt`))
  const parts = ['key', 'crt'].map((kind) => readFileSync(file(`${name}.${kind}`), 'utf8'))
  writeFileSync(file(`${name}.pem`), parts.join(''))
}

const settings = (plain: number, sasl: number, mutual: number, controller: number) => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${controller}`,
  'controller.listener.names': 'CONTROLLER',
  listeners: `PLAINTEXT://127.0.0.1:${plain},SASL_SSL://127.0.0.1:${sasl},SSL://127.0.0.1:${mutual},CONTROLLER://127.0.0.1:${controller}`,
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
  'log.dirs': file('data'),
  'offsets.topic.replication.factor': 1,
  'ssl.keystore.type': 'PEM',
  'ssl.keystore.location': file('broker.pem'),
  'ssl.truststore.type': 'PEM',
  'ssl.truststore.location': file('client.crt'),
  'listener.name.ssl.ssl.client.auth': 'required',
  'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
  'listener.name.sasl_ssl.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required user_${USER.name}="${USER.password}";`,
  'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config':
    'org.apache.kafka.common.security.scram.ScramLoginModule required;',
})

let broker: ChildProcess | undefined
let sasl: number
let mutual: number
beforeAll(async () => {
  for (const name of ['broker', 'client']) keyPair(name)
  const [plain, controller] = [await freePort(), await freePort()]
  ;[sasl, mutual] = [await freePort(), await freePort()]
  const lines = Object.entries(settings(plain, sasl, mutual, controller))
  writeFileSync(file('server.properties'), lines.map(([key, value]) => `${key}=${value}`).join('\n'))
  const scram = `SCRAM-SHA-512=[name=${USER.name},password=${USER.password}]`
  const format = ['format', '-t', newClusterId(), '-c', file('server.properties'), '--add-scram', scram]
  run(java, ...JVM, '-cp', classpath, 'kafka.tools.StorageTool', ...format)
  broker = spawn(java, [...JVM, '-cp', classpath, 'kafka.Kafka', file('server.properties')], { stdio: 'ignore' })
  await eventually(() => clusterSize({ ...overTls, ...asUser }), { deadline: 60_000 })
}, 120_000)
afterAll(async () => {
  if (broker?.kill('SIGKILL')) await once(broker, 'exit')
  rmSync(dir, { recursive: true })
})

const overTls = { KAFKA_CA_FILE: file('broker.crt') }
const asUser = { KAFKA_SASL_USERNAME: USER.name, KAFKA_SASL_PASSWORD: USER.password }

/** Number of brokers that a service with this environment sees at its first try. */
async function clusterSize(env: Record<string, string>): Promise<number> {
  const protocol = 'KAFKA_SASL_USERNAME' in env ? 'SASL_SSL' : 'SSL'
  const KAFKA_BROKERS = `127.0.0.1:${protocol === 'SSL' ? mutual : sasl}`
  const config = readConfig(brokerKeys, { KAFKA_BROKERS, KAFKA_SECURITY_PROTOCOL: protocol, ...env })
  const { brokers, ...security } = brokerAccess(config)
  const admin = kafkaClient([...brokers], { ...security, retry: { retries: 0 } }).admin()
  try {
    await admin.connect()
    return (await admin.describeCluster()).brokers.length
  } finally {
    await admin.disconnect()
  }
}

describe('a Kafka that asks who comes', () => {
  it.each(['PLAIN', 'SCRAM-SHA-512'])('is reached over TLS by %s', async (KAFKA_SASL_MECHANISM) => {
    expect(await clusterSize({ ...overTls, ...asUser, KAFKA_SASL_MECHANISM })).toBe(1)
  })

  it('is reached by a client certificate', async () => {
    const KAFKA_CLIENT_CERTIFICATE_FILE = file('client.crt')
    expect(
      await clusterSize({ ...overTls, KAFKA_CLIENT_CERTIFICATE_FILE, KAFKA_CLIENT_KEY_FILE: file('client.key') }),
    ).toBe(1)
    await expect(clusterSize(overTls)).rejects.toThrow()
  })

  it('is left alone when nobody vouches for it, or with a wrong password', async () => {
    await expect(clusterSize(asUser)).rejects.toThrow('self-signed certificate')
    const stranger = { ...overTls, ...asUser, KAFKA_SASL_PASSWORD: 'guess' }
    await expect(clusterSize(stranger)).rejects.toThrow('SASL SCRAM SHA512 authentication failed')
  })
})
