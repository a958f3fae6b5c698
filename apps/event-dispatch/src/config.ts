import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import {
  as,
  behindGatewayKeys,
  type ConfigKeys,
  type ConfigOf,
  readConfig,
  serviceKeys,
} from '@connectivity/service-kit/config'
import { vaultKeys } from '@connectivity/vault/config'

import { readRanges } from './sending/address-rules.js'

/** Every configuration key of event dispatch. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys,
  ...databaseKeys,
  ...kafkaKeys,
  ...vaultKeys,
  PORT: { about: 'Port of the service: partner paths, probes and metrics.', read: as.port, fallback: '8085' },
  CURSOR_KEYS: {
    about:
      'Keys that seal cursors of the event index, id:base64, the first is current; keep old ones as long as cursors should live.',
    read: as.keyRing,
  },
  EVENT_RETENTION_DAYS: {
    about: 'Days for which events stay in the index; partners are promised 30.',
    read: as.positiveInteger,
    fallback: '30',
  },
  CALLBACK_ALLOW: {
    about:
      'Test mode: addresses and CIDR ranges that callbacks may go to besides public ones, over http and any port; refused in production.',
    read: (text: string) => readRanges(as.list(text)),
    fallback: '',
  },
  CALLBACK_PORTS: {
    about: 'Ports that callbacks may use besides 443, comma separated.',
    read: (text: string): ReadonlySet<number> => new Set(as.list(text).map(as.port)),
    fallback: '',
  },
} satisfies ConfigKeys

export type EventDispatchConfig = ConfigOf<typeof configKeys>

/**
 * Reads the configuration.
 * @throws Error that lists every fault, or that test mode is no mode for production
 */
export function readEventDispatchConfig(env?: NodeJS.ProcessEnv): EventDispatchConfig {
  const config = readConfig(configKeys, env)
  if (config.NODE_ENV === 'production' && config.CALLBACK_ALLOW.length > 0) {
    throw new Error(
      'configuration: CALLBACK_ALLOW opens addresses for tests and must be unset when NODE_ENV is production',
    )
  }
  return config
}
