import { databaseKeys } from '@connectivity/database'
import { kafkaKeys } from '@connectivity/kafka/broker'
import type { ConfigKeys, ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, serviceKeys } from '@connectivity/service-kit/service'

/** Every configuration key of the catalog. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8082),
  ...databaseKeys,
  ...kafkaKeys,
} satisfies ConfigKeys

/** Values of the configuration keys. */
export type CatalogConfig = ConfigOf<typeof configKeys>
