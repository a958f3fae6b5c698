import { databaseKeys } from '@connectivity/database/config'
import { kafkaKeys } from '@connectivity/kafka/config'
import { as, type ConfigKeys, type ConfigOf } from '@connectivity/service-kit/config'
import { behindGatewayKeys, cursorKeys, serviceKeys } from '@connectivity/service-kit/service-keys'

/** Every configuration key of the reservation feed. */
export const configKeys = {
  ...serviceKeys,
  ...behindGatewayKeys(8083),
  ...databaseKeys,
  ...kafkaKeys,
  ...cursorKeys,
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
  PROOF_ANSWER_SECONDS: {
    about: 'Time for which an answered digest proves what a partner found equal to it.',
    read: as.positiveInteger,
    fallback: '300',
  },
} satisfies ConfigKeys

export type FeedConfig = ConfigOf<typeof configKeys>
