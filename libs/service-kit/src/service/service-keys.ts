import { buildKeys } from '../config/build-info.js'
import { as, type ConfigKey, type ConfigKeys } from '../config/config.js'
import { tlsFolderKey } from './listener-tls.js'
import { tracingKeys } from '../tracing/tracing-keys.js'

/** Keys that every service has. */
export const serviceKeys = {
  HOST: { about: 'Address to listen on.', read: as.text, fallback: '0.0.0.0' },
  LOG_LEVEL: {
    about: 'Least severe level that is logged: trace, debug, info, warn, error, fatal, or silent.',
    read: as.oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    fallback: 'info',
  },
  NODE_ENV: {
    about: 'Purpose of the process: production, development or test.',
    read: as.oneOf('production', 'development', 'test'),
    fallback: 'development',
  },
  DRAIN_SECONDS: {
    about:
      'Seconds for which a stopping process still serves requests: not ready, and each answer closes its connection.',
    read: as.seconds,
    fallback: '0',
  },
  ...buildKeys,
  ...tracingKeys,
} satisfies ConfigKeys

/**
 * Keys of a service that partners reach through the gateway.
 * @param port default port
 */
export const behindGatewayKeys = (port: number) =>
  ({
    PORT: { about: 'Port of the service: partner paths, probes and metrics.', read: as.port, fallback: String(port) },
    TLS_FILES: tlsFolderKey('TLS_FILES', 'the listener'),
    IDENTITY_KEY: {
      about:
        'Keys with any of which the gateway may sign identities for this service, 32 bytes in base64 each, comma separated.',
      read: as.keys256,
      secret: true,
    },
  }) satisfies ConfigKeys

/** Keys of a service that hands out cursors. */
export const cursorKeys = {
  CURSOR_KEYS: {
    about:
      "Keys that seal the service's cursors, id:<32 bytes in base64>, comma separated; the first seals, keep old ones as long as cursors should live.",
    read: as.keyRing,
    secret: true,
  } satisfies ConfigKey<unknown>,
}
