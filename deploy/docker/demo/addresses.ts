// Where the parts of docker-compose.yml answer.
import { portFromEnvironment, portKeys } from '../../local/bootstrap/config.mjs'
import type { PortName } from '../../local/machine/ports.ts'

/** Where a reader of demo.json finds the parts. */
export interface Addresses {
  /** Of the partner interface, without its base path. */
  publicUrl: string
  /** Of the operators' interface, without its base path. */
  privateUrl: string
  brokers: string[]
  redisUrl: string
  /** Host and port. */
  postgres: string
}

/** Among the containers. */
export const INSIDE: Addresses = {
  publicUrl: 'http://gateway:8080',
  privateUrl: 'http://gateway:8081',
  brokers: ['kafka:19092'],
  redisUrl: 'redis://redis:6379',
  postgres: 'postgres:5432',
}

const published = (name: PortName): string =>
  `127.0.0.1:${portFromEnvironment(portKeys[name].key) ?? portKeys[name].port}`

/** On the machine that runs them: the ports that the compose file publishes. */
export const onTheMachine = (): Addresses => ({
  publicUrl: `http://${published('gatewayPublic')}`,
  privateUrl: `http://${published('gatewayPrivate')}`,
  brokers: [published('kafka')],
  redisUrl: `redis://${published('redis')}`,
  postgres: published('postgres'),
})
