import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import { as, behindGatewayKeys, type ConfigKeys, type ConfigOf, serviceKeys } from '@connectivity/service-kit/config'

/** Every configuration key of the catalog. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys,
  ...databaseKeys,
  ...kafkaKeys,
  PORT: { about: 'Port of the service: partner paths, probes and metrics.', read: as.port, fallback: '8082' },
} satisfies ConfigKeys

export type CatalogConfig = ConfigOf<typeof configKeys>
