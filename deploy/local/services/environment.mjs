// The environment of each service, as the services' config.ts files describe it.
import { failedAuthPerMinute, logLevel, maxConnectionsPerAddress } from '../config.mjs'
import { upstreams } from './names.mjs'

/** The operators' identity provider of the local stack is the launcher itself. */
export const operators = {
  issuer: 'https://operators.localhost',
  audience: 'connectivity-operations',
  /** A year: longer than any local stack lives. */
  tokenHours: 8_760,
}

/** Options of the gateway's Node.js, as in deploy/kubernetes/base/gateway and docker-compose.yml. */
export const gatewayNodeOptions = '--max-semi-space-size=8'

const keyOfUrl = (name) => `${name.toUpperCase().replaceAll('-', '_')}_URL`

function common({ name, database }, { databaseUrls, brokers, bind }) {
  return {
    NODE_ENV: 'development',
    INSTANCE_NAME: name,
    LOG_LEVEL: logLevel,
    HOST: bind,
    DATABASE_URL: databaseUrls[database],
    KAFKA_BROKERS: brokers.join(','),
  }
}

function ofGateway({ ports, redisUrl, secrets, hostOf, jwks }) {
  return {
    PUBLIC_PORT: String(ports.gatewayPublic),
    PRIVATE_PORT: String(ports.gatewayPrivate),
    REDIS_URL: redisUrl,
    NODE_OPTIONS: gatewayNodeOptions,
    ...Object.fromEntries(upstreams.map(({ name, port }) => [keyOfUrl(name), `http://${hostOf(name)}:${ports[port]}`])),
    IDENTITY_KEYS: upstreams.map(({ name }) => `${name}=${secrets.identity[name]}`).join(','),
    KEY_ENCRYPTION_KEYS: `k1:${secrets.keyEncryption}`,
    FAILED_AUTH_PER_MINUTE: failedAuthPerMinute,
    MAX_CONNECTIONS_PER_ADDRESS: maxConnectionsPerAddress,
    OPERATOR_JWKS: jwks,
    OPERATOR_ISSUER: operators.issuer,
    OPERATOR_AUDIENCE: operators.audience,
    OPERATOR_TOKEN_HOURS: String(operators.tokenHours),
  }
}

/** Callbacks of a local stack may go to this machine (api.md §8). */
const own = {
  'reservation-feed': ({ secrets }) => ({ CURSOR_KEYS: `c1:${secrets.cursor}` }),
  'event-dispatch': ({ secrets }) => ({
    KEY_ENCRYPTION_KEYS: `k1:${secrets.callbackKeyEncryption}`,
    CURSOR_KEYS: `c1:${secrets.eventCursor}`,
    CALLBACK_ALLOW: '127.0.0.0/8,[::1]',
  }),
}

/**
 * The environment of one service.
 * @param {{ name: string, database: string, port: string }} service one of names.mjs
 * @param {{ secrets: object, ports: Record<string, number>, databaseUrls: Record<string, string>, redisUrl: string,
 *   brokers: string[], bind: string, hostOf: (name: string) => string, jwks: string }} context `bind`: the address all
 *   services listen on; `hostOf`: where the gateway finds a service; `jwks`: the operators' public keys
 */
export function environmentOf(service, context) {
  const { name, port } = service
  const special =
    name === 'gateway'
      ? ofGateway(context)
      : { PORT: String(context.ports[port]), IDENTITY_KEY: context.secrets.identity[name], ...own[name]?.(context) }
  return { ...common(service, context), ...special }
}
