import { databaseKeys } from '@connectivity/database'
import { kafkaKeys } from '@connectivity/kafka/broker'
import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, serviceKeys } from '@connectivity/service-kit/service'

/** Every configuration key of the ARI service. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8084),
  ...databaseKeys,
  ...kafkaKeys,
  PAST_DAYS_KEPT: {
    about:
      "Days for which availability, rates and restrictions of a day stay readable after it, by the property's calendar.",
    read: as.positiveInteger,
    fallback: '7',
  },
  PRUNING_INTERVAL_MINUTES: {
    about: 'Interval at which past days are deleted, minutes.',
    read: as.positiveInteger,
    fallback: '60',
  },
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type AriConfig = ConfigOf<typeof configKeys>

/** Injection token of the configuration. */
export const ARI_CONFIG = Symbol('ari config')
