import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import { as, behindGatewayKeys, type ConfigKeys, type ConfigOf, serviceKeys } from '@connectivity/service-kit/config'
import { vaultKeys } from '@connectivity/vault/config'

/** Every configuration key of event dispatch. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys,
  ...databaseKeys,
  ...kafkaKeys,
  ...vaultKeys,
  PORT: { about: 'Port of the service: partner paths, probes and metrics.', read: as.port, fallback: '8085' },
} satisfies ConfigKeys

export type EventDispatchConfig = ConfigOf<typeof configKeys>
