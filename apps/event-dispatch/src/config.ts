import { databaseKeys } from '@connectivity/database'
import { kafkaKeys } from '@connectivity/kafka/broker'
import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, cursorKeys, serviceKeys } from '@connectivity/service-kit/service'
import { vaultKeys } from '@connectivity/vault'
import { readRanges } from './address-rules.js'

/** Every configuration key of event dispatch. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8085),
  ...databaseKeys,
  ...kafkaKeys,
  ...vaultKeys,
  ...cursorKeys,
  EVENT_RETENTION_DAYS: {
    about: 'Days for which events stay in the index; partners are promised 30.',
    read: as.positiveInteger,
    fallback: '30',
  },
  CALLBACK_ALLOW: {
    about:
      'Test mode: further addresses and CIDR ranges for callbacks, over http and on any port; rejected in production.',
    read: (text: string) => readRanges(as.list(text)),
    fallback: '',
    rule: ({ NODE_ENV, CALLBACK_ALLOW = [] }: { NODE_ENV?: string; CALLBACK_ALLOW?: readonly unknown[] }) =>
      NODE_ENV === 'production' && CALLBACK_ALLOW.length > 0
        ? ['CALLBACK_ALLOW opens addresses for tests and must be unset when NODE_ENV is production']
        : [],
  },
  CALLBACK_PORTS: {
    about: 'Ports that callbacks may use besides 443, comma separated.',
    read: (text: string): ReadonlySet<number> => new Set(as.list(text).map(as.port)),
    fallback: '',
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type EventDispatchConfig = ConfigOf<typeof configKeys>

/** Injection token of the configuration. */
export const DISPATCH_CONFIG = Symbol('event dispatch config')
