import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import type { ConfigKeys, ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, serviceKeys } from '@connectivity/service-kit/service-keys'

/** Every configuration key of the catalog. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8082),
  ...databaseKeys,
  ...kafkaKeys,
} satisfies ConfigKeys

export type CatalogConfig = ConfigOf<typeof configKeys>
