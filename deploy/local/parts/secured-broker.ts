import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { downloads } from '../bootstrap/config.mjs'
import { javaCommand } from '../bootstrap/machine/requirements.mjs'
import { freePort } from '../machine/ports.ts'
import { newClusterId } from './cluster-id.ts'

const JVM = ['-Xmx256m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1']
const classpath = join(downloads, 'kafka', '*')
const LOGIN = 'org.apache.kafka.common.security'

/** The user with all rights, also over PLAIN. */
export const ADMINISTRATOR = { name: 'administrator', password: 'let-me-in' }

type Ports = Record<'plain' | 'sasl' | 'mutual' | 'controller', number>

/** Listener for clients that log in, and the JVM's options. */
interface ClientListener {
  /** Address of this machine. */
  address: string
  /** Name of the broker for these clients; its certificate has it. */
  name: string
  /** A free one by default. */
  port?: number
  /** Options of the JVM; by default those for the shortest start. */
  jvm?: readonly string[]
}

const LOOPBACK: ClientListener = { address: '127.0.0.1', name: '127.0.0.1' }

/**
 * A throw-away Kafka with authentication and access rules: TLS, SASL, ACLs; everything without a rule is denied. On
 * loopback, without TLS, every client may do everything.
 */
export class SecuredBroker {
  private readonly dir = mkdtempSync(join(tmpdir(), 'secured-kafka-'))
  private broker: ChildProcess | undefined
  private readonly listener: ClientListener
  ports: Ports

  constructor(listener = LOOPBACK) {
    this.listener = listener
  }

  /** Certificate that vouches for the broker, PEM. */
  get authority(): string {
    return readFileSync(this.file('broker.crt'), 'utf8')
  }

  file(name: string): string {
    return join(this.dir, name)
  }

  /** @param users passwords of the users that may log in by SCRAM besides the administrator, by name */
  async start(users: Readonly<Record<string, string>>): Promise<void> {
    for (const name of ['broker', 'client']) this.keyPair(name)
    const [plain, mutual, controller] = [await freePort(), await freePort(), await freePort()]
    const sasl = this.listener.port ?? (await freePort())
    this.ports = { plain, sasl, mutual, controller }
    const lines = Object.entries(this.settings(this.ports)).map(([key, value]) => `${key}=${value}`)
    writeFileSync(this.file('server.properties'), lines.join('\n'))
    const passwords = Object.entries({ ...users, [ADMINISTRATOR.name]: ADMINISTRATOR.password })
    const scram = passwords.flatMap(([name, password]) => [
      '--add-scram',
      `SCRAM-SHA-512=[name=${name},iterations=4096,password=${password}]`,
    ])
    const format = ['format', '-t', newClusterId(), '-c', this.file('server.properties'), ...scram]
    this.run(javaCommand(), ...JVM, '-cp', classpath, 'kafka.tools.StorageTool', ...format)
    const args = [...(this.listener.jvm ?? JVM), '-cp', classpath, 'kafka.Kafka', this.file('server.properties')]
    this.broker = spawn(javaCommand(), args, { stdio: 'ignore' })
  }

  async stop(): Promise<void> {
    if (this.broker?.kill('SIGKILL')) await once(this.broker, 'exit')
    rmSync(this.dir, { recursive: true })
  }

  private run(command: string, ...args: string[]): void {
    execFileSync(command, args, { cwd: this.dir, stdio: 'pipe' })
  }

  /** Makes a private key with a certificate that it signed itself: NAME.key, NAME.crt, and both in NAME.pem. */
  private keyPair(name: string): void {
    const subject = [
      '-subj',
      `/CN=${name}`,
      '-addext',
      `subjectAltName=IP:127.0.0.1,DNS:${this.listener.name}`,
      '-days',
      '2',
    ]
    const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', this.file(`${name}.key`)]
    this.run('openssl', 'req', '-x509', ...key, ...subject, '-out', this.file(`${name}.crt`))
    const parts = ['key', 'crt'].map((kind) => readFileSync(this.file(`${name}.${kind}`), 'utf8'))
    writeFileSync(this.file(`${name}.pem`), parts.join(''))
  }

  private settings({ plain, sasl, mutual, controller }: Ports) {
    const listeners = (sasl: string) => `PLAINTEXT://127.0.0.1:${plain},SASL_SSL://${sasl},SSL://127.0.0.1:${mutual}`
    const { address, name } = this.listener
    const login = `user_${ADMINISTRATOR.name}="${ADMINISTRATOR.password}"`
    return {
      'process.roles': 'broker,controller',
      'node.id': 1,
      'controller.quorum.voters': `1@127.0.0.1:${controller}`,
      'controller.listener.names': 'CONTROLLER',
      listeners: `${listeners(`${address}:${sasl}`)},CONTROLLER://127.0.0.1:${controller}`,
      'advertised.listeners': listeners(`${name}:${sasl}`),
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,SSL:SSL',
      'log.dirs': this.file('data'),
      'auto.create.topics.enable': false,
      'group.initial.rebalance.delay.ms': 0,
      'offsets.topic.replication.factor': 1,
      'offsets.topic.num.partitions': 1,
      'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
      // The broker connects to itself in plain text.
      'super.users': `User:${ADMINISTRATOR.name};User:ANONYMOUS`,
      'ssl.keystore.type': 'PEM',
      'ssl.keystore.location': this.file('broker.pem'),
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': this.file('client.crt'),
      'listener.name.ssl.ssl.client.auth': 'required',
      'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
      'listener.name.sasl_ssl.plain.sasl.jaas.config': `${LOGIN}.plain.PlainLoginModule required ${login};`,
      'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': `${LOGIN}.scram.ScramLoginModule required;`,
    }
  }
}
