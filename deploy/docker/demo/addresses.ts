// Addresses of the parts of docker-compose.yml.
import { portFromEnvironment, portKeys } from '../../local/bootstrap/config.mjs'
import type { PortName } from '../../local/machine/ports.ts'
import { redisPassword } from './config.ts'

/** Addresses of the parts, as demo.json gives them. */
export interface Addresses {
  /** URL of the partner interface, without its base path. */
  publicUrl: string
  /** URL of the operators' interface, without its base path. */
  privateUrl: string
  brokers: string[]
  redisUrl: string
  /** Host and port. */
  postgres: string
}

/** Addresses between the containers. */
export const INSIDE: Addresses = {
  publicUrl: 'http://gateway:8080',
  privateUrl: 'http://gateway:8081',
  brokers: ['kafka:19092'],
  redisUrl: `redis://:${redisPassword}@redis:6379`,
  postgres: 'postgres:5432',
}

const published = (name: PortName): string =>
  `127.0.0.1:${portFromEnvironment(portKeys[name].key) ?? portKeys[name].port}`

/** Addresses on the host: the ports that the compose file publishes. */
export const onTheMachine = (): Addresses => ({
  publicUrl: `http://${published('gatewayPublic')}`,
  privateUrl: `http://${published('gatewayPrivate')}`,
  brokers: [published('kafka')],
  redisUrl: `redis://:${redisPassword}@${published('redis')}`,
  postgres: published('postgres'),
})
