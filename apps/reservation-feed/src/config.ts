import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import { as, behindGatewayKeys, type ConfigKeys, type ConfigOf, serviceKeys } from '@connectivity/service-kit/config'

/** Every configuration key of the reservation feed. */
export const configKeys = {
  ...serviceKeys,
  ...databaseKeys,
  ...kafkaKeys,
  ...behindGatewayKeys,
  PORT: { about: 'Port of the service: partner paths, probes and metrics.', read: as.port, fallback: '8083' },
  CURSOR_KEYS: {
    about:
      'Keys that seal page cursors, id:base64, the first is current; keep old ones as long as cursors should live.',
    read: as.keyRing,
  },
  EVENTS_PER_TRANSACTION: {
    about: 'Kafka messages that take effect together; fewer cost more CPU each.',
    read: as.positiveInteger,
    fallback: '500',
  },
  CLOSED_FEED_DAYS: {
    about: 'Days for which the rows of a closed connection are kept.',
    read: as.positiveInteger,
    fallback: '30',
  },
} satisfies ConfigKeys

export type FeedConfig = ConfigOf<typeof configKeys>
