// The environment of each service, as the services' config.ts files describe it.
import { failedAuthPerMinute, logLevel, maxConnectionsPerAddress, privateHosts } from '../bootstrap/config.mjs'
import { type Service, upstreams } from './names.ts'
import type { Secrets } from './secrets.ts'

/** Facts about a stack that its services need. */
export interface ServiceContext {
  secrets: Secrets
  /** Ports by the names of `portKeys`. */
  ports: Readonly<Record<string, number>>
  /** URLs by the database's name. */
  databaseUrls: Readonly<Record<string, string>>
  redisUrl: string
  brokers: readonly string[]
  /** The address that all services listen on. */
  bind: string
  /** Host at which the gateway reaches a service. */
  hostOf: (name: string) => string
  /** Path of the file with the operators' public keys. */
  jwks: string
}

type Environment = Record<string, string>

/** The operators' identity provider of the local stack is the launcher itself. */
export const operators = {
  issuer: 'https://operators.localhost',
  audience: 'connectivity-operations',
  /** A year: longer than any local stack lives. */
  tokenHours: 8_760,
}

/** Options of the gateway's Node.js, as in deploy/kubernetes/base/gateway and docker-compose.yml. */
export const gatewayNodeOptions = '--max-semi-space-size=8 --max-old-space-size=256'

const keyOfUrl = (name: string): string => `${name.toUpperCase().replaceAll('-', '_')}_URL`

function common({ name, database }: Service, { databaseUrls, brokers, bind }: ServiceContext): Environment {
  return {
    NODE_ENV: 'development',
    INSTANCE_NAME: name,
    LOG_LEVEL: logLevel,
    HOST: bind,
    DATABASE_URL: databaseUrls[database] ?? '',
    KAFKA_BROKERS: brokers.join(','),
  }
}

function ofGateway({ ports, redisUrl, secrets, hostOf, jwks }: ServiceContext): Environment {
  return {
    PUBLIC_PORT: String(ports.gatewayPublic),
    PRIVATE_PORT: String(ports.gatewayPrivate),
    PUBLIC_URL: `http://127.0.0.1:${ports.gatewayPublic}`,
    REDIS_URL: redisUrl,
    NODE_OPTIONS: gatewayNodeOptions,
    ...Object.fromEntries(upstreams.map(({ name, port }) => [keyOfUrl(name), `http://${hostOf(name)}:${ports[port]}`])),
    IDENTITY_KEYS: upstreams.map(({ name }) => `${name}=${secrets.identity[name]}`).join(','),
    KEY_ENCRYPTION_KEYS: `k1:${secrets.keyEncryption}`,
    FAILED_AUTH_PER_MINUTE: failedAuthPerMinute,
    MAX_CONNECTIONS_PER_ADDRESS: maxConnectionsPerAddress,
    PRIVATE_HOSTS: privateHosts,
    OPERATOR_JWKS: jwks,
    OPERATOR_ISSUER: operators.issuer,
    OPERATOR_AUDIENCE: operators.audience,
    OPERATOR_TOKEN_HOURS: String(operators.tokenHours),
  }
}

/** Keys of one service only. Callbacks of a local stack may go to this machine. */
const own: Partial<Record<Service['name'], (context: ServiceContext) => Environment>> = {
  'reservation-feed': ({ secrets }) => ({ CURSOR_KEYS: `c1:${secrets.cursor}` }),
  'event-dispatch': ({ secrets }) => ({
    KEY_ENCRYPTION_KEYS: `k1:${secrets.callbackKeyEncryption}`,
    CURSOR_KEYS: `c1:${secrets.eventCursor}`,
    CALLBACK_ALLOW: '127.0.0.0/8,[::1]',
  }),
}

/** The environment of one service. */
export function environmentOf(service: Service, context: ServiceContext): Environment {
  const { name, port } = service
  const special =
    name === 'gateway'
      ? ofGateway(context)
      : { PORT: String(context.ports[port]), IDENTITY_KEY: context.secrets.identity[name], ...own[name]?.(context) }
  return { ...common(service, context), ...special }
}
